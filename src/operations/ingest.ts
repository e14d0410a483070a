/** Storing the samples of one body. */

import type { Later } from '../common/model/later.js';
import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { StoredIngestOptions, StoredIngestReport, SeriesStore } from '../storage/storage.js';
import type { ProtocolMetrics } from '../telemetry/protocol-metrics.js';

export type { StoredIngestReport } from '../storage/storage.js';

type BodyFormat = NonNullable<StoredIngestOptions['format']>;

export type ImportedColumn = Extract<BodyFormat, { readonly kind: 'csv' }>['columns'][number];

/** Conversion of OpenTelemetry metrics. */
export type OtlpRules = Omit<Extract<BodyFormat, { readonly storesDelta: boolean }>, 'kind'>;

export type UnitSuspect = NonNullable<StoredIngestReport['suspect']>;

/** Naming of line protocol series. */
export interface LineProtocolNames {
  /** Separator of measurement and field in metric names. */
  readonly separator: string;
  /** The label for the written database or bucket; null: none. */
  readonly databaseLabel: string | null;
}

/** One body in progress; nothing is stored before `commit` resolves. */
export interface Ingest {
  /**
   * Parses queued bytes and then `chunk`, which is lent for the call, for about `ms`. Keeps a copy
   * of the rest. Returns true while bytes are queued. Throws the first error of the body.
   */
  write(chunk: Uint8Array, ms: number): boolean;
  /** Called when the samples are durable and visible. */
  commit(): Later<StoredIngestReport>;
  abort(): void;
}

/** A body with times finer than seconds, in a database of seconds. */
export interface FinerTimes {
  readonly protocol: string;
  readonly precision: StoredIngestOptions['precision'];
}

interface IngestListeners {
  /** Called once per body whose times look like another unit. */
  readonly noteSuspect: (suspect: UnitSuspect) => void;
  /** Called once per body in which several samples may collapse into one. */
  readonly noteFinerTimes: (times: FinerTimes) => void;
  readonly timestampUnit: TimestampUnit;
  readonly protocols: ProtocolMetrics;
}

const finerThanSeconds: readonly string[] = ['ms', 'us', 'ns'];

export function startIngest(
  storage: SeriesStore,
  options: StoredIngestOptions,
  { noteSuspect, noteFinerTimes, timestampUnit, protocols }: IngestListeners,
): Ingest {
  const { precision } = options;
  const protocol = protocolOf(options);
  const isFiner = timestampUnit === 's' && finerThanSeconds.includes(precision);
  const request = storage.beginIngest(options);
  return {
    write: (chunk, ms) => request.write(chunk, ms),
    commit: () =>
      request.commit().map((report) => {
        protocols.recordSamples(protocol, report);
        if (report.suspect !== undefined) noteSuspect(report.suspect);
        if (isFiner && report.ingested > 0) noteFinerTimes({ protocol, precision });
        return report;
      }),
    abort: () => {
      request.abort();
    },
  };
}

/** The name in metrics: both versions and forms of a protocol are one. */
function protocolOf({ format }: StoredIngestOptions): string {
  return format?.kind.replace(/_(2|json)$/, '') ?? 'ndjson';
}
