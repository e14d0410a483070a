/** `seriesdb bucket probe`: whether an object store is fit for a database. */

import type { Command } from 'commander';

import { addStoreFlags, storeKeysHelp } from '../session/store-flags.js';
import { exitCodes } from '../session/failure.js';
import { runCommand } from '../session/run-command.js';

import type { Flags } from '../session/client-context.js';
import type { Session } from '../session/command.js';

export function addBucket(program: Command, { terminal, ended }: Session): void {
  const group = program
    .command('bucket')
    .description('test object stores: Amazon S3, Ceph and others with its interface')
    .exitOverride();
  const command = group
    .command('probe')
    .description('test whether an object store keeps what a database on it needs')
    .argument('<url>', 's3://BUCKET/PREFIX; the keys of the test begin with PREFIX/nodes/probe-')
    .option('--json', 'print one JSON object per line as each test is done')
    .addHelpText(
      'after',
      `${storeKeysHelp} They need to read, list, write and delete below PREFIX.` +
        '\nThe test writes some twenty small objects, and removes them.' +
        '\nExit codes: 0 fit, perhaps with warnings, 1 not fit or not reached, 2 wrong usage,' +
        '\n130 interrupted.',
    );
  addStoreFlags(command)
    .exitOverride()
    .action(async (url: string, flags: Flags) => {
      const code = await runCommand(terminal, async (signal) => {
        const { probeBucket } = await import('../maintenance/probe-bucket.js');
        const isFit = await probeBucket({ terminal, signal, url, flags });
        return isFit ? exitCodes.ok : exitCodes.failed;
      });
      ended(code);
    });
}
