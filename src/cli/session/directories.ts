/** The interface of commands to directories that no server has open. */

import type { IngestReport, Labels } from '../../client/client.js';
import type { ExportedMetric } from '../../common/model/exported-metric.js';
import type { Settings } from '../../config/settings.js';
import type { DatabaseTime, TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { TableForm } from '../../common/model/table-columns.js';
import type { LinePieces, Maintained, RepairWishes } from '../../operations/maintenance.js';
import type { OpenStore } from '../../bucket/open-store.js';
import type { ServedStore } from '../../bucket/serve-store.js';

export interface ReportRequest {
  /** With `bucket` its name in messages. */
  readonly directory: string;
  readonly bucket?: BucketEntry;
  readonly report:
    | ('verification' | 'manifest' | 'segments' | 'chunks' | 'wal')
    | ('refs' | 'history' | 'snapshots');
  /** The segment or WAL file to report; null: all. */
  readonly number: bigint | null;
}

/** What an export reads: a server, or a directory that is open for reading. */
export interface ExportSource {
  /** The metrics at the time of the call, by name. */
  readonly metrics: (range: ExportRange) => Promise<readonly ExportedMetric[]>;
  /**
   * The lines of the server's export, in pieces that end anywhere. The last line has the totals.
   * The loop ends with the reason of the signal if that aborts.
   */
  readonly openLines: (range: ExportRange, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/** The selected series and times; both ends inclusive. */
export interface ExportRange {
  readonly prefix: string;
  readonly labels: Labels;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
}

/** A backup on an object store. */
interface BucketEntry {
  /** The number of a ServedStore. */
  readonly store: number;
  /** The number of the backup; null: the last one. */
  readonly entry: bigint | null;
}

interface RestoreRequest {
  /** The backup; with `bucket` its name in messages. */
  readonly directory: string;
  readonly bucket?: BucketEntry;
  readonly target: string;
  /** Null: the last state. */
  readonly snapshot: string | null;
}

interface RepairRequest extends RepairWishes {
  readonly directory: string;
  /** Used if no file tells the unit. */
  readonly unit: TimestampUnit | null;
}

/** A database open for maintenance. */
/** A backup to write. */
interface StoredBackup {
  /** The number of a ServedStore. */
  readonly store: number;
  /** For messages. */
  readonly url: string;
  /** The name of this machine, for people who read the bucket. */
  readonly node: string;
  /** How many backups stay readable, this one included. */
  readonly keep: number;
}

export interface OpenedDirectory extends Maintained {
  /** Copies flushed data to an object store; native/maintenance/bucket/backup.h has the lines. */
  readonly openBucketBackup: (backup: StoredBackup) => LinePieces;
  readonly close: () => Promise<void>;
}

export interface ReadableDirectory {
  readonly unit: TimestampUnit;
  /** Names a past state and the data it lacks; empty for the current state. */
  readonly note: string;
  readonly source: ExportSource;
  /** For dry runs only, like openUndelete. */
  readonly collect: Maintained['collect'];
  readonly openUndelete: Maintained['openUndelete'];
  readonly close: () => Promise<void>;
}

/** Lines of line protocol to preview. */
interface PreviewRequest {
  readonly body: Uint8Array;
  readonly precision: TimestampUnit;
  /** The time of lines without one, in `unit`. */
  readonly at: DatabaseTime;
  /** The unit of the previewed times. */
  readonly unit: TimestampUnit;
}

/** How the lines of a body are read. */
export interface LinesForm {
  /** The unit of the timestamps; absent: the database's. */
  readonly precision?: TimestampUnit;
  /** Absent: NDJSON. */
  readonly format?: 'influx';
  /** The time of lines of line protocol without one, in the database's unit. */
  readonly at?: DatabaseTime;
}

/** A database open for loading samples. */
export interface LoadableDirectory {
  readonly unit: TimestampUnit;
  /** Rejects with AppError. */
  readonly ingest: (
    lines: Uint8Array,
    options: LinesForm & { readonly on_error: 'fail' | 'skip' },
  ) => Promise<IngestReport>;
  /** Stores rows of CSV, all or nothing. Rejects with AppError. */
  readonly importCsv: (rows: Uint8Array, form: TableForm) => Promise<IngestReport>;
  readonly close: () => Promise<void>;
}

/** A new database that no one else uses. */
export interface ScratchDatabase {
  /** The vector kernels of this machine, for example `avx512`. */
  readonly kernel: string;
  /** Stores lines of NDJSON, all or nothing. Rejects with AppError. */
  readonly ingest: (lines: string) => Promise<unknown>;
  /** All samples of the series without labels, in time order. */
  readonly range: (asked: {
    readonly metric: string;
    readonly start: bigint;
    readonly end: bigint;
  }) => Promise<readonly { readonly ts: bigint; readonly value: number | null }[]>;
  /** Flushes, and releases the directory. */
  readonly close: () => Promise<void>;
}

export interface Directories {
  /** From now on this thread answers what native code asks the store. */
  readonly serveStore: (store: OpenStore) => ServedStore;
  /** A line of JSON for each sample of a text that no database stores; bad lines have none. */
  readonly openPreview: (request: PreviewRequest) => LinePieces;
  /** Lines of JSON; changes no byte. next() rejects with `locked`, `io` or `storage_corrupt`. */
  readonly openReport: (request: ReportRequest) => LinePieces;
  /**
   * Restores a backup into a directory, one file per piece. next() rejects with `locked`, `io`,
   * `storage_corrupt`, `invalid_configuration`, `snapshot_not_found` or `storage_unavailable`.
   */
  readonly openRestore: (request: RestoreRequest) => LinePieces;
  /** Repairs a directory as far as its files allow. next() rejects like a restore. */
  readonly openRepair: (request: RepairRequest) => LinePieces;
  /**
   * Opens with these settings, except directory and unit, which are its own. Never creates a
   * database. Rejects with AppError `locked`, `storage_corrupt` or `io`.
   */
  readonly open: (directory: string, settings: Settings) => Promise<OpenedDirectory>;
  /** Makes a database of milliseconds with the defaults, or opens it again. Rejects like open(). */
  readonly openScratch: (directory: string) => Promise<ScratchDatabase>;
  /** Like open(), for loading samples. */
  readonly openForLoading: (directory: string, settings: Settings) => Promise<LoadableDirectory>;
  /** Opens the current or a past state for reading; changes no byte. Rejects like open(). */
  readonly openForReading: (
    directory: string,
    asOf: string | null,
    settings?: Settings,
  ) => Promise<ReadableDirectory>;
}

/** Splits pieces of text into lines without newlines. Closes the pieces at the end. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Makes pieces iterable; an aborted signal ends the loop early. */
export async function* readPieces(
  pieces: LinePieces,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stop = (): void => {
    pieces.close();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = await pieces.next();
      if (piece === null) return;
      yield piece;
    }
  } catch (error) {
    // An aborted signal explains the error better than the closed pieces do.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    pieces.close();
  }
}
