/** Maintenance tasks of an operator, and their reports. */

import { stat } from 'node:fs/promises';
import path from 'node:path';

import { AppError } from '../common/errors/app-error.js';
import { isSnapshotName } from '../common/model/past-state.js';

import type { Undelete } from '../storage/storage.js';

/** Counts of removed unreferenced files; in a dry run, those that would be removed. */
export interface CollectionFigures {
  /** Segments and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Commits of history. */
  readonly commits: number;
  /** Bytes by which REFS shrank. */
  readonly refsBytes: number;
  /** Unreferenced files that must stay for now. */
  readonly kept: number;
}

export interface CollectionRequest {
  /** True to only report what would be removed. */
  readonly isDryRun: boolean;
  /** True to also remove the whole history. */
  readonly isOfHistory: boolean;
}

/** Pieces of JSON lines; null is the end. close() ends a running next(). */
export interface LinePieces {
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/** Tasks of a database. Each rejects with an AppError. */
export interface Maintained {
  /** Resolves when all memtables are flushed. */
  readonly flush: () => Promise<void>;
  /** Tasks on segments; native/maintenance/task_reader.h has the lines of both. */
  readonly openCompaction: () => LinePieces;
  readonly openMigration: () => LinePieces;
  readonly collect: (request: CollectionRequest) => Promise<CollectionFigures>;
  readonly createSnapshot: (name: string) => Promise<void>;
  readonly deleteSnapshot: (name: string) => Promise<void>;
  /** One line per snapshot; native/maintenance/snapshot_list.h defines them. */
  readonly openSnapshots: () => LinePieces;
  /** Copies flushed data; native/maintenance/database_copy.h has the lines. */
  readonly openBackup: (directory: string) => LinePieces;
  /** native/maintenance/undelete.h has the lines. */
  readonly openUndelete: (undelete: Undelete) => LinePieces;
  /** Repairs segments; native/maintenance/repair/repair_report.h has the lines. */
  readonly openRepair: (wishes: RepairWishes) => LinePieces;
}

export interface RepairWishes {
  /** True to only report the plan. */
  readonly isDry: boolean;
  /** True to accept the loss of unreadable data. */
  readonly isLossAccepted: boolean;
}

export type SnapshotTask = 'snapshot/create' | 'snapshot/delete';

/** Runs the task and reports it in the admin API's format. */
export async function answerSnapshotTask(
  task: SnapshotTask,
  database: Maintained,
  given: string | undefined,
): Promise<string> {
  const name = checkedSnapshotName(given);
  if (task === 'snapshot/create') await database.createSnapshot(name);
  else await database.deleteSnapshot(name);
  return JSON.stringify({ status: task === 'snapshot/create' ? 'created' : 'deleted', name });
}

/** Work on segments with progress lines. */
export type LongTask = 'compact' | 'migrate';

/** Flushes everything acknowledged so far. Throws `invalid_configuration`. */
export function beginLongTask(task: LongTask, database: Maintained): LinePieces {
  const work = task === 'compact' ? database.openCompaction() : database.openMigration();
  return flushedBefore(database, work);
}

/** The report of a garbage collection in the admin API's format. */
export function printCollection(
  { files, bytes, commits, refsBytes, kept }: CollectionFigures,
  { isDryRun }: CollectionRequest,
): string {
  const status = isDryRun ? 'planned' : 'collected';
  return JSON.stringify({ status, files, bytes, commits, refs_bytes: refsBytes, kept });
}

/** A backup of everything acknowledged so far. Throws `invalid_directory`. */
export function beginBackup(database: Maintained, given: string | undefined): LinePieces {
  if (given === undefined || !path.isAbsolute(given) || given.includes('\0')) {
    throw new AppError('invalid_directory', 'directory must be the absolute path of a directory');
  }
  return flushedBefore(database, database.openBackup(given));
}

/**
 * Device and inode of the path, or of its nearest existing parent. Null if this process may not
 * access it. If two processes see different values, they run in different containers, or one has
 * its own /tmp.
 */
export async function nearestDirectory(of: string): Promise<string | null> {
  for (let at = path.resolve(of); ; at = path.dirname(at)) {
    try {
      const { dev, ino } = await stat(at, { bigint: true });
      return `${String(dev)}:${String(ino)}`;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== 'ENOENT' || at === path.dirname(at)) return null;
    }
  }
}

/**
 * Rejects with `invalid_directory` if this process sees another directory at the path. Then it
 * would not find its backup.
 */
export async function checkSameDirectory(given: string, seen: string): Promise<void> {
  const own = await nearestDirectory(given);
  if (own === null || own === seen) return;
  const message =
    `${given} is another directory for the server, as in a container or with a /tmp of its own ` +
    '(PrivateTmp=); name one that both see';
  throw new AppError('invalid_directory', message);
}

/** Prints a line that a flush is running, since it may take long. Afterwards starts `work`. */
export function flushedBefore(database: Maintained, work: LinePieces): LinePieces {
  let isTold = false;
  let isFlushed = false;
  return {
    next: async () => {
      if (!isTold) {
        isTold = true;
        return Buffer.from('{"kind":"flush"}\n');
      }
      if (!isFlushed) await database.flush();
      isFlushed = true;
      return work.next();
    },
    close: () => {
      work.close();
    },
  };
}

/** Throws `invalid_name`. */
function checkedSnapshotName(name: string | undefined): string {
  if (name !== undefined && isSnapshotName(name)) return name;
  const form = '1 to 128 letters, digits, "_", "-" and "."; the first is a letter, a digit or "_"';
  throw new AppError('invalid_name', `name must be a snapshot name: ${form}`);
}
