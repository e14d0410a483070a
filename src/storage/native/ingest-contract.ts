/** Ingest of samples; part of `contract.ts`. */

import type { NativeName } from './names.js';

export interface NativeIngestOptions {
  /** Unit of arriving timestamps; converted to the database's. */
  readonly precision: NativeName<'precisions'>;
  readonly isLenient: boolean;
  /** The text is line protocol. */
  readonly lineProtocol?: NativeLineProtocol;
  /** The text is comma-separated values. */
  readonly csv?: NativeCsv;
  /** The body is remote_write of this version. */
  readonly remoteWriteVersion?: 1 | 2;
  /** The body is OTLP; without one of the four it is NDJSON. */
  readonly otlp?: NativeOtlp;
  /** Flat key, value, …: added to every series. A line with another value is refused. */
  readonly required?: readonly string[];
}

export interface NativeLineProtocol {
  /** Separator of measurement and field in metric names. */
  readonly separator: string;
  /** Flat key, value, …: added to every series without a tag of that key. */
  readonly labels: readonly string[];
}

/** Conversion of OpenTelemetry metrics. */
interface NativeOtlp {
  /** Names are escaped as Prometheus does, with units and `_total`. */
  readonly escapesNames: boolean;
  /** Sums and histograms that are delta are stored as gauges; else they are rejected. */
  readonly storesDelta: boolean;
  /** The instrumentation scope becomes labels. */
  readonly labelsScope: boolean;
  /** Resource attributes that become labels; `*` alone is all. */
  readonly resourceLabels: readonly string[];
  /** The body is in JSON, else in protobuf. */
  readonly isJson: boolean;
}

interface NativeCsv {
  /**
   * In their order: one of times, no two that mean the same, at least one of values. `name` is the
   * key of a label; of a value it is the metric, or with a column of metrics what follows a dot
   * behind it, or nothing.
   */
  readonly columns: readonly { readonly kind: NativeName<'columns'>; readonly name: string }[];
  /** Lines of the header, which is not part of the text; errors count from there. */
  readonly linesBefore: number;
}

export interface NativeIngestReport {
  readonly ingested: number;
  readonly rejected: number;
  /** Good and bad, without blank lines and comments. remote_write counts series, OTLP points. */
  readonly lines: number;
  /** Rejected lines per code; remote_write counts samples, OTLP points. */
  readonly rejectedBy: readonly { reason: string; count: number }[];
  /** At most 10, lenient requests only. */
  readonly errors: readonly { line: number; code: string; error: string }[];
  /** Skipped parts of stored lines and series: texts, exemplars, buckets, metadata. */
  readonly skipped: readonly { reason: NativeName<'skipReasons'>; count: number }[];
  /**
   * The first timestamp, in the database's unit, that is more than 50 years from now and within 20
   * years in another unit, which is named; absent when there is none.
   */
  readonly suspect?: { readonly ts: bigint; readonly unit: NativeName<'units'> };
}

export interface NativeIngest {
  /** Starts another body of the same form after the last one. Throws as beginIngest does. */
  again(): void;
  /**
   * Parses what waits and then the lines of `chunk`, for about `ms` milliseconds, without it to the
   * end; an unfinished last line and all that is left are copied, and with 0 everything. Takes lent
   * bytes. Synchronous. True while lines wait for a call that has more time. Throws the request's
   * first error (final), BACKPRESSURE codes, `closed`.
   */
  write(chunk: Uint8Array, ms?: number): boolean;
  /**
   * Parses what waits and the last line, logs, waits for durability and visibility, and then calls
   * `done`, never before it returns: with an error nothing is stored; without a third argument the
   * report has nothing but the two numbers. Throws `closed`, `invalid_argument`.
   */
  commit(done: (ingested: number, lines: number, told?: NativeIngestReport | Error) => void): void;
  /** Discards everything; idempotent; allowed after commit. */
  abort(): void;
}
