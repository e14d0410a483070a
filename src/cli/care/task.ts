/** `seriesdb compact` and `migrate`: work on the files of a database, open or closed. */

import { parse } from 'lossless-json';

import { answerTask, type Task } from '../../operations/maintenance.js';
import { textFlag, type Flags } from '../client-context.js';
import { CommandFailure, exitCodes } from '../failure.js';
import { resolveInputs } from '../setting-flags.js';
import { printFacts } from '../table.js';

import { adminConnection, type CareContext } from './care-context.js';
import { cellOf } from './inspect.js';

/** What is told when it begins. */
const notes: Readonly<Record<Task, string>> = {
  compact: 'merging segments',
  migrate: 'naming segments by their hashes',
};

/** Resolves with the exit code. */
export async function perform(
  task: Task,
  context: CareContext,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, isJson } = context;
  const url = textFlag(flags, 'url');
  if ((directory === undefined) === (url === undefined)) {
    throw new CommandFailure('name either a directory, or a running server by --url');
  }
  terminal.note(`seriesdb: ${notes[task]} …\n`);
  const answer =
    url === undefined
      ? await performOn(task, context, directory ?? '', flags)
      : await askServer(task, context, url, flags);
  const told = parse(answer) as object;
  const facts = Object.entries(told);
  const table = printFacts(facts.map(([name, value]) => [name, cellOf(value)]));
  terminal.write(isJson ? `${answer}\n` : table);
  const isWhole = !('left' in told) || String(told.left) === '0';
  return isWhole ? exitCodes.ok : exitCodes.damaged;
}

function askServer(task: Task, { terminal, signal }: CareContext, url: string, flags: Flags) {
  const path = `/__admin/${task}`;
  const call = { method: 'POST', path, isRepeatable: false, signal } as const;
  return adminConnection(terminal, url, flags).text(call);
}

/** As the server answers. An interruption ends it; what was done stays. */
async function performOn(task: Task, context: CareContext, directory: string, flags: Flags) {
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
    return await answerTask(task, opened);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}
