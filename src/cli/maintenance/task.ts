/** `seriesdb snapshot create` and `delete`: work on the files of an open or closed database. */

import { parse } from 'lossless-json';

import { answerSnapshotTask, type SnapshotTask } from '../../operations/maintenance.js';
import { exitCodes } from '../session/failure.js';
import { resolveInputs } from '../session/setting-flags.js';

import { adminOrder, placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { printMembers } from './inspect.js';

import type { OpenedDirectory, ReadableDirectory } from '../session/directories.js';

interface TaskRequest {
  readonly task: SnapshotTask;
  readonly name: string | undefined;
}

/** The message at the start of a task. */
const notes: Readonly<Record<SnapshotTask, string>> = {
  'snapshot/create': 'flushing memory to segments',
  'snapshot/delete': 'deleting the snapshot',
};

/** Resolves with the exit code. */
export async function perform(
  { task, name }: TaskRequest,
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const place = await placeOf(context, directory);
  context.terminal.note(`seriesdb: ${notes[task]} …\n`);
  const path = `/__admin/${task}?name=${encodeURIComponent(name ?? '')}`;
  const answer =
    'server' in place
      ? await adminOrder(context, { ...place, path }).text()
      : await withOpened(context, place.directory, async (opened) => {
          await opened.flush();
          return answerSnapshotTask(task, opened, name);
        });
  tellAnswer(context, answer);
  return exitCodes.ok;
}

/** The report, in the same form everywhere. */
export function tellAnswer({ terminal, isJson }: MaintenanceContext, answer: string): void {
  terminal.write(isJson ? `${answer}\n` : printMembers(parse(answer) as object));
}

/** Opens a directory for reading; changes no byte. */
export async function withSeen<Told>(
  { terminal, directories, flags }: MaintenanceContext,
  directory: string,
  work: (seen: ReadableDirectory) => Promise<Told>,
): Promise<Told> {
  const { settings } = resolveInputs({ config: flags['config'] }, terminal.environment);
  const seen = await directories.openForReading(directory, null, settings);
  try {
    return await work(seen);
  } finally {
    await seen.close();
  }
}

/** Opens a directory as its server would. An interruption ends the work; finished parts stay. */
export async function withOpened<Told>(
  context: MaintenanceContext,
  directory: string,
  work: (opened: OpenedDirectory) => Promise<Told>,
): Promise<Told> {
  const { terminal, directories, flags, signal } = context;
  const { settings } = resolveInputs({ config: flags['config'] }, terminal.environment);
  const opened = await directories.open(directory, settings);
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= opened.close());
  const stop = (): void => {
    // The result of close() is reported below.
    close().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await work(opened);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}
