/** What commands are given to look at directories that no server has open. */

import type { IngestReport } from '../../client/client.js';
import type { Settings } from '../../config/settings.js';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { LinePieces, Maintained, RepairWishes } from '../../operations/maintenance.js';
import type { ExportSource } from './sample-runs.js';

export interface ReportRequest {
  readonly directory: string;
  readonly report:
    | ('verification' | 'manifest' | 'segments' | 'chunks' | 'wal')
    | ('refs' | 'history' | 'snapshots');
  /** Only this segment, or this file of the log; null = all. */
  readonly number: bigint | null;
}

interface RestoreRequest {
  /** The backup. */
  readonly directory: string;
  readonly target: string;
  /** Null = the last state. */
  readonly snapshot: string | null;
}

interface RepairRequest extends RepairWishes {
  readonly directory: string;
  /** Where no file tells it. */
  readonly unit: TimestampUnit | null;
}

/** A database that is open for work on its files. */
export interface OpenedDirectory extends Maintained {
  readonly close: () => Promise<void>;
}

export interface ReadableDirectory {
  readonly unit: TimestampUnit;
  /** For a time in the past: which state it is, and what it lacks; else empty. */
  readonly note: string;
  readonly source: ExportSource;
  /** Both of a dry run. */
  readonly collect: Maintained['collect'];
  readonly openUndelete: Maintained['openUndelete'];
  readonly close: () => Promise<void>;
}

/** A database that samples are brought into. */
export interface LoadableDirectory {
  readonly unit: TimestampUnit;
  /** Rejects with AppError. */
  readonly ingest: (
    lines: Uint8Array,
    options: { readonly precision?: TimestampUnit; readonly on_error: 'fail' | 'skip' },
  ) => Promise<IngestReport>;
  readonly close: () => Promise<void>;
}

export interface Directories {
  /** Lines of JSON; changes no byte. next() rejects with `locked`, `io`, `storage_corrupt`. */
  readonly openReport: (request: ReportRequest) => LinePieces;
  /**
   * Makes a database of a backup, a file a piece. next() rejects with `locked`, `io`,
   * `storage_corrupt`, `invalid_configuration`, `snapshot_not_found`, `storage_unavailable`.
   */
  readonly openRestore: (request: RestoreRequest) => LinePieces;
  /** Makes a directory whole again, as its files allow. next() rejects as that of a restore. */
  readonly openRepair: (request: RepairRequest) => LinePieces;
  /**
   * With these settings, but for directory and unit, which are its own. Makes none where there is
   * none. Rejects with AppError `locked`, `storage_corrupt`, `io`.
   */
  readonly open: (directory: string, settings: Settings) => Promise<OpenedDirectory>;
  /** The same, for samples. */
  readonly openForLoading: (directory: string, settings: Settings) => Promise<LoadableDirectory>;
  /** The same of the last state, or of one of the past, and changes no byte. */
  readonly openForReading: (
    directory: string,
    asOf: string | null,
    settings?: Settings,
  ) => Promise<ReadableDirectory>;
}

/** The lines of a text in pieces, without their newlines. Closes the pieces at the end. */
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

/** The same pieces for a loop, which ends them early when the signal is aborted. */
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
    // What was closed says so; why it was closed says more.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    pieces.close();
  }
}
