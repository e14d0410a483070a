#!/usr/bin/env node
/** The program: arguments in, exit code out. */

import { setFlagsFromString } from 'node:v8';

/**
 * A program is loaded from many files side by side: the first to meet a limit that is too low. Of
 * its parts one after the other fewer are open at a time.
 */
async function load(): Promise<(argv: readonly string[]) => Promise<number>> {
  try {
    await import('./storage/native-storage.js');
    await import('./operations/operations.js');
    await import('./cli/program.js');
    return (await import('./compose.js')).run;
  } catch (error) {
    const isOutOfDescriptors = error instanceof Error && 'code' in error && error.code === 'EMFILE';
    if (!isOutOfDescriptors) throw error;
    process.stderr.write(
      'seriesdb: so few files may be open at a time that the program cannot be loaded; ' +
        'raise the limit with ulimit -n\n',
    );
    process.exit(1);
  }
}

// Each request leaves a small graph of garbage. V8 takes what outlived a few scavenges as a reason
// to make its like in the old generation, where dead objects keep young ones alive until the next
// full collection; see docs/decisions/0022.
setFlagsFromString('--no-allocation-site-pretenuring');

const run = await load();
process.exit(await run(process.argv.slice(2)));
