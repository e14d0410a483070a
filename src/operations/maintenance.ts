/** Work on the files of a database that its operator asks for, and what is told of it. */

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

/** What can be asked of a database. Each rejects with an AppError. */
export interface Maintained {
  readonly compact: () => Promise<CompactionFigures>;
  readonly migrate: () => Promise<MigrationFigures>;
}

export type Task = keyof Maintained;

/** Does it, and tells of it as the admin API does. */
export async function answerTask(task: Task, database: Maintained): Promise<string> {
  const told =
    task === 'compact' ? compacted(await database.compact()) : migrated(await database.migrate());
  return JSON.stringify(told);
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
