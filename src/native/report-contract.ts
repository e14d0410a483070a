/** What the addon is asked about the files of a database, and what becomes of them. */

import type { NativeSeriesFilter } from './filter-contract.js';
import type { NativeName } from './names.js';

/** Every file of the open database read completely; native/care/verification.h has the lines. */
export interface NativeVerification {
  readonly answer: 'verification';
}

/** What the files of the open database say now; native/care/inspection.h has the lines. */
export interface NativeInspection {
  readonly answer: 'inspection';
  readonly report: InspectedPart;
  /** Only this segment, or this file of the log; null = all. */
  readonly number: bigint | null;
}

type InspectedPart = Extract<
  NativeName<'reports'>,
  'manifest' | 'segments' | 'chunks' | 'wal' | 'refs' | 'history'
>;

/** The snapshots of the open database; native/care/snapshot_list.h has the lines. */
export interface NativeSnapshots {
  readonly answer: 'snapshots';
}

/** A copy of the open database as of a flush; native/care/database_copy.h has the lines. */
export interface NativeBackup {
  readonly answer: 'backup';
  /** The directory that becomes a backup, or is one. */
  readonly target: string;
}

/** What only a state of the past has comes back; native/care/undelete.h has the lines. */
export interface NativeUndelete {
  readonly answer: 'undelete';
  readonly past: NativePast;
  /** Of that state. */
  readonly filter: NativeSeriesFilter;
  /** Inclusive; the end is not before the start. */
  readonly start: bigint;
  readonly end: bigint;
  /** Only counts. */
  readonly isDryRun: boolean;
}

/**
 * Segments of the open database merged until nothing is left to merge, or named by their hashes
 * where they are not; native/care/task_reader.h has the lines. The first next() begins it, and each
 * one answers at once with how far it is. close() before the last line ends it, and what was done
 * stays.
 */
export interface NativeTask {
  readonly answer: 'compaction' | 'migration';
}

/** What the files of a directory say that no process has open. */
export interface NativeReportRequest {
  readonly directory: string;
  readonly report: Exclude<NativeName<'reports'>, 'restore' | 'repair'>;
  /** Only this segment, or this file of the log; null = all. */
  readonly number: bigint | null;
}

/** A database made of a backup; native/care/database_copy.h has the lines. */
interface NativeRestoreRequest {
  readonly report: 'restore';
  /** The backup, which stays as it is. */
  readonly directory: string;
  /** One that is empty, or that a restore before did not finish. */
  readonly target: string;
  /** Null = the last state. */
  readonly snapshot: string | null;
}

/** What is removed because nothing needs it; native/upkeep/collection.h has the words. */
export interface NativeCollectionRequest {
  readonly isDryRun: boolean;
  readonly isOfHistory: boolean;
}
export interface NativeCollection {
  readonly files: number;
  readonly bytes: number;
  readonly commits: number;
  readonly refsBytes: number;
  readonly kept: number;
}

/** With a snapshot and a time it is the snapshot, where there is one of that name. */
export interface NativePast {
  readonly snapshot: string | null;
  /** The number of an edit, whose commit it is. */
  readonly edit: bigint | null;
  /** The last commit of then or before. */
  readonly timeMs: bigint | null;
}

/** What a repair may do. */
export interface NativeRepairWishes {
  /** Nothing is changed; what would be is told. */
  readonly isDry: boolean;
  /** What cannot be read may go. */
  readonly isLossAccepted: boolean;
}

/** The segments of the open database repaired; native/repair/repair_report.h has the lines. */
export interface NativeRepair extends NativeRepairWishes {
  readonly answer: 'repair';
}

/** A directory repaired that no process has open; native/repair/repair_report.h has the lines. */
interface NativeRepairRequest extends NativeRepairWishes {
  readonly report: 'repair';
  readonly directory: string;
  /** Of timestamps, where no file tells; null = then it fails. */
  readonly unit: NativeName<'units'> | null;
}

/** What changes a directory. */
export type NativeFileWork = NativeRestoreRequest | NativeRepairRequest;
