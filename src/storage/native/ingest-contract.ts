/** Ingest of samples; part of `contract.ts`. */

import type { DatabaseTime } from '../../common/model/timestamp-unit.js';
import type { NativeName } from './names.js';

export interface NativeIngestOptions {
  /** Unit of arriving timestamps; converted to the database's. */
  readonly precision: NativeName<'precisions'>;
  readonly isLenient: boolean;
  /** If absent, the body is NDJSON. */
  readonly format?: NativeFormat;
  /** Flat key, value, …: added to every series. A line with another value is refused. */
  readonly required?: readonly string[];
}

/** The format of a body, with its options. */
type NativeFormat =
  { readonly kind: Exclude<NativeName<'formats'>, FormatWithOptions['kind']> } | FormatWithOptions;

type FormatWithOptions =
  | ({ readonly kind: 'influx' } & NativeLineProtocol)
  | ({ readonly kind: 'csv' } & NativeCsv)
  | ({ readonly kind: 'otlp' | 'otlp_json' } & NativeOtlp);

export interface NativeLineProtocol {
  /** Separator of measurement and field in metric names. */
  readonly separator: string;
  /** Flat key, value, …: added to every series without a tag of that key. */
  readonly labels: readonly string[];
  /** The time of lines without one, in the database's unit; absent: the time of arrival. */
  readonly at?: DatabaseTime;
}

/** Conversion of OpenTelemetry metrics. */
interface NativeOtlp {
  /** Names are escaped as Prometheus does, with units and `_total`. */
  readonly escapesNames: boolean;
  /** Delta sums and histograms are stored as gauges; otherwise they are rejected. */
  readonly storesDelta: boolean;
  /** The instrumentation scope becomes labels. */
  readonly labelsScope: boolean;
  /** Resource attributes that become labels; a single `*` means all. */
  readonly resourceLabels: readonly string[];
}

interface NativeCsv {
  /**
   * The columns in order: exactly one time, at least one value, and no two with the same meaning.
   * `name` is a label key. For a value it is the metric. If there is a metric column, it is the
   * suffix after a dot, or empty.
   */
  readonly columns: readonly { readonly kind: NativeName<'columns'>; readonly name: string }[];
  /**
   * The number of header lines, which are not part of the text. Line numbers of errors continue
   * from it.
   */
  readonly linesBefore: number;
  /** Flat key, value, …: added to every row without a label of that key. */
  readonly labels: readonly string[];
  /**
   * Blank text that is skipped: lines and cells of values (`all`), or such cells alone (`values`).
   * Other blank text makes its row invalid. Empty lines and empty cells are always skipped.
   */
  readonly skippedBlanks: NativeName<'skippedBlanks'>;
}

export interface NativeIngestReport {
  readonly ingested: number;
  readonly rejected: number;
  /**
   * Valid and invalid lines, without blank lines and comments. remote_write counts series, OTLP
   * points.
   */
  readonly lines: number;
  /** Rejected lines per code; remote_write counts samples, OTLP points. */
  readonly rejectedBy: readonly { reason: string; count: number }[];
  /** At most 10, lenient requests only. */
  readonly errors: readonly { line: number; code: string; error: string }[];
  /** Skipped parts of stored lines and series: texts, exemplars, buckets, metadata. */
  readonly skipped: readonly { reason: NativeName<'skipReasons'>; count: number }[];
  /**
   * The first timestamp, in the database's unit, that is more than 50 years from now. In the unit
   * `unit`, it would be within 20 years. Absent if there is none.
   */
  readonly suspect?: { readonly ts: DatabaseTime; readonly unit: NativeName<'units'> };
}

export interface NativeIngest {
  /** Starts another body of the same form after the last one. Throws as beginIngest does. */
  again(): void;
  /**
   * Parses the waiting lines and then the lines of `chunk`, for about `ms` milliseconds; without
   * `ms` all of them. Copies an unfinished last line and all unparsed lines; with 0 everything.
   * `chunk` is lent. Synchronous. True while lines wait for a call with more time. Throws the
   * request's first error (final), BACKPRESSURE codes, `closed`.
   */
  write(chunk: Uint8Array, ms?: number): boolean;
  /**
   * Parses the remaining lines, logs, and waits for durability and visibility. Then calls `done`,
   * never before commit() returns. If `done` gets an error, nothing is stored. Without a third
   * argument, the report has only the two numbers. Throws `closed`, `invalid_argument`.
   */
  commit(done: (ingested: number, lines: number, told?: NativeIngestReport | Error) => void): void;
  /** Discards everything; idempotent; allowed after commit. */
  abort(): void;
}
