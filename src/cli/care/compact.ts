/** `seriesdb compact`: segments merged as far as they can be. */

import { parse } from 'lossless-json';

import { textFlag, type Flags } from '../client-context.js';
import { CommandFailure, exitCodes } from '../failure.js';
import { resolveInputs } from '../setting-flags.js';
import { printFacts } from '../table.js';

import { adminConnection, type CareContext } from './care-context.js';
import { cellOf } from './inspect.js';

import type { CompactionFigures } from './directories.js';

/** Resolves with the exit code. */
export async function compact(
  context: CareContext,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, isJson } = context;
  const url = textFlag(flags, 'url');
  if ((directory === undefined) === (url === undefined)) {
    throw new CommandFailure('name either a directory, or a running server by --url');
  }
  terminal.note('seriesdb: merging segments …\n');
  const answer =
    url === undefined
      ? await compactDirectory(context, directory ?? '', flags)
      : await compactServer(context, url, flags);
  const facts = Object.entries(parse(answer) as object);
  const table = printFacts(facts.map(([name, value]) => [name, cellOf(value)]));
  terminal.write(isJson ? `${answer}\n` : table);
  return exitCodes.ok;
}

function compactServer({ terminal, signal }: CareContext, url: string, flags: Flags) {
  const call = { method: 'POST', path: '/__admin/compact', isRepeatable: false, signal } as const;
  return adminConnection(terminal, url, flags).text(call);
}

/** As the server answers. An interruption ends the merge that runs; those before it stay. */
async function compactDirectory(context: CareContext, directory: string, flags: Flags) {
  const { terminal, directories, signal } = context;
  const { settings } = resolveInputs({ config: flags['config'] }, terminal.environment);
  const opened = await directories.open(directory, settings);
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= opened.close());
  const stop = (): void => {
    // What comes of it is told below.
    close().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await opened.flush();
    return printAnswer(await opened.compact());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}

function printAnswer(figures: CompactionFigures): string {
  return JSON.stringify({
    status: 'compacted',
    segments_before: figures.segmentsBefore,
    segments_after: figures.segmentsAfter,
    bytes_before: figures.bytesBefore,
    bytes_after: figures.bytesAfter,
  });
}
