/** Work on the files of a database that its operator asks for, and what is told of it. */

import path from 'node:path';

import { AppError } from '../errors/app-error.js';

import type { Undelete } from '../storage/storage.js';

/** The segments, and their bytes. */
export interface CompactionFigures {
  readonly segmentsBefore: number;
  readonly segmentsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface MigrationFigures {
  /** Segments that were named by their hashes, and their bytes. */
  readonly segments: number;
  readonly bytes: number;
  /** Tags that were moved into REFS. */
  readonly tags: number;
  /** Segments that are damaged, and stay as they are. */
  readonly left: number;
}

/** Pieces of lines of JSON; null is the end. close() ends a next() that runs. */
export interface LinePieces {
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/** What can be asked of a database. Each rejects with an AppError. */
export interface Maintained {
  /** Resolves when all that was in memory is in segments. */
  readonly flush: () => Promise<void>;
  readonly compact: () => Promise<CompactionFigures>;
  readonly migrate: () => Promise<MigrationFigures>;
  readonly createSnapshot: (name: string) => Promise<void>;
  readonly deleteSnapshot: (name: string) => Promise<void>;
  /** A line each; native/care/snapshot_list.h has them. */
  readonly openSnapshots: () => LinePieces;
  /** Of what is in segments; native/care/database_copy.h has the lines. */
  readonly openBackup: (directory: string) => LinePieces;
  /** native/care/undelete.h has the lines. */
  readonly openUndelete: (undelete: Undelete) => LinePieces;
}

/** What is asked for, its `name` where it is of a snapshot. */
export type Task = 'compact' | 'migrate' | 'snapshot/create' | 'snapshot/delete';

/** Does it, and tells of it as the admin API does. */
export async function answerTask(
  task: Task,
  database: Maintained,
  name: string | undefined,
): Promise<string> {
  return JSON.stringify(await perform(task, database, name));
}

async function perform(
  task: Task,
  database: Maintained,
  given: string | undefined,
): Promise<object> {
  if (task === 'compact') return compacted(await database.compact());
  if (task === 'migrate') return migrated(await database.migrate());
  const name = checkedSnapshotName(given);
  if (task === 'snapshot/create') await database.createSnapshot(name);
  else await database.deleteSnapshot(name);
  return { status: task === 'snapshot/create' ? 'created' : 'deleted', name };
}

/** A copy of all that was acknowledged by now. Rejects also with `invalid_directory`. */
export async function beginBackup(
  database: Maintained,
  given: string | undefined,
): Promise<LinePieces> {
  if (given === undefined || !path.isAbsolute(given) || given.includes('\0')) {
    throw new AppError('invalid_directory', 'directory must be the absolute path of one');
  }
  await database.flush();
  return database.openBackup(given);
}

const nameForm = /^(?!.*\.tmp$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** Throws `invalid_name`. */
export function checkedSnapshotName(name: string | undefined): string {
  if (name !== undefined && nameForm.test(name)) return name;
  const form = '1 to 128 letters, digits, "_", "-" and "."; the first is a letter, a digit or "_"';
  throw new AppError('invalid_name', `name must be that of a snapshot: ${form}`);
}

function compacted(figures: CompactionFigures): object {
  return {
    status: 'compacted',
    segments_before: figures.segmentsBefore,
    segments_after: figures.segmentsAfter,
    bytes_before: figures.bytesBefore,
    bytes_after: figures.bytesAfter,
  };
}

function migrated({ segments, bytes, tags, left }: MigrationFigures): object {
  return { status: 'migrated', segments, bytes, tags, left };
}
