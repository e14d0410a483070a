/** Reports on the files of a database, and work on them. */

import type { DatabaseTime, Milliseconds } from '../../common/model/timestamp-unit.js';
import type { NativeSeriesFilter } from './filter-contract.js';
import type { NativeIngestOptions } from './ingest-contract.js';
import type { NativeName } from './names.js';

/** Verifies every file of the open database; native/maintenance/verification.h has the lines. */
export interface NativeVerification {
  readonly answer: 'verification';
}

/** Inspects the files of the open database; native/maintenance/inspection.h has the lines. */
export interface NativeInspection {
  readonly answer: 'inspection';
  readonly report: NativeInspectedPart;
  /** Only this segment, or this WAL file; null = all. */
  readonly number: bigint | null;
}

type NativeInspectedPart = Extract<
  NativeName<'reports'>,
  'manifest' | 'segments' | 'chunks' | 'wal' | 'refs' | 'history'
>;

/** Lists the snapshots of the open database; native/maintenance/snapshot_list.h has the lines. */
export interface NativeSnapshots {
  readonly answer: 'snapshots';
}

/** Backs up the open database as of a flush; native/maintenance/database_copy.h has the lines. */
export interface NativeBackup {
  readonly answer: 'backup';
  /** The target directory: empty, or a backup. */
  readonly target: string;
}

/** Backs up the open database to an object store; native/maintenance/bucket/backup.h. */
export interface NativeBucketBackup {
  readonly answer: 'bucketBackup';
  /** The share() of a NativeStore. */
  readonly store: number;
  /** `s3://NAME/PREFIX`, for messages. */
  readonly url: string;
  /** The name of this machine, for people who read the bucket: printable ASCII, 1 to 128 bytes. */
  readonly node: string;
  /** How many backups stay readable, this one included; at least 1. */
  readonly keep: number;
}

/** Restores samples from a past state; native/maintenance/undelete.h has the lines. */
export interface NativeUndelete {
  readonly answer: 'undelete';
  readonly past: NativePast;
  /** Selects series of that state. */
  readonly filter: NativeSeriesFilter;
  /** Inclusive; the end is not before the start. */
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
  /** Only counts the samples. */
  readonly isDryRun: boolean;
}

/**
 * Merges segments of the open database until nothing is left to merge, or migrates them to names by
 * hash. native/maintenance/task_reader.h has the lines. The first next() starts it; each next()
 * returns the progress at once. If close() comes before the last line, it stops and keeps the work
 * done.
 */
export interface NativeTask {
  readonly answer: 'compaction' | 'migration';
}

/** Inspects a directory that no process has open, or a backup on an object store. */
export interface NativeReportRequest {
  readonly directory: string;
  /** Then `directory` is only a name for messages. */
  readonly bucket?: NativeBucketEntry;
  readonly report: Exclude<NativeName<'reports'>, 'restore' | 'repair' | 'preview'>;
  /** Only this segment, or this WAL file; null = all. */
  readonly number: bigint | null;
}

/**
 * The samples of a body that no database stores; native/ingest/format/body_preview.h has the lines.
 * Bad lines are left out.
 */
export interface NativePreviewRequest extends NativeIngestOptions {
  readonly report: 'preview';
  readonly isLenient: true;
  /** Lent. */
  readonly body: Uint8Array;
  /** The unit of the previewed times. */
  readonly unit: NativeName<'units'>;
}

/** A backup on an object store. */
interface NativeBucketEntry {
  /** The share() of a NativeStore. */
  readonly store: number;
  /** The number of the backup; null = the last one. */
  readonly entry: bigint | null;
}

/** Restores a backup; native/maintenance/database_copy.h has the lines. */
interface NativeRestoreRequest {
  readonly report: 'restore';
  /** The backup, which is not changed. */
  readonly directory: string;
  /** Then `directory` is only a name for messages. */
  readonly bucket?: NativeBucketEntry;
  /** An empty directory, or an unfinished restore. */
  readonly target: string;
  /** Null = the last state. */
  readonly snapshot: string | null;
}

/** Counts of removed unreferenced files; native/storage/compactor/collection.h has the words. */
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

/** If both are given, the snapshot wins if it exists. */
export interface NativePast {
  readonly snapshot: string | null;
  /** The edit number of the commit. */
  readonly edit: bigint | null;
  /** The last commit at or before this time. */
  readonly timeMs: Milliseconds<bigint> | null;
}

/** Permissions of a repair. */
export interface NativeRepairWishes {
  /** Changes nothing; reports the plan. */
  readonly isDry: boolean;
  /** Allows the loss of unreadable data. */
  readonly isLossAccepted: boolean;
}

/** Repairs the open database's segments; lines: native/maintenance/repair/repair_report.h. */
export interface NativeRepair extends NativeRepairWishes {
  readonly answer: 'repair';
}

/** Repairs a directory that no process has open. Its lines are the same as for NativeRepair. */
interface NativeRepairRequest extends NativeRepairWishes {
  readonly report: 'repair';
  readonly directory: string;
  /** The timestamp unit if no file has it; null = the repair fails then. */
  readonly unit: NativeName<'units'> | null;
}

/** Work that changes a directory. */
export type NativeFileWork = NativeRestoreRequest | NativeRepairRequest;
