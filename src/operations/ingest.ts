/** Storing the samples of one NDJSON body. */

import type { IngestOptions, IngestReport, SeriesStore } from '../storage/storage.js';

export type UnitSuspect = NonNullable<IngestReport['suspect']>;

/** One body in progress; nothing is stored before `commit` resolves. */
export interface Ingest {
  /**
   * Parses what waits and then `chunk`, which is lent for the call, for about `ms`, and keeps a
   * copy of what is left. True while something waits. Throws the first error of the body.
   */
  write(chunk: Uint8Array, ms: number): boolean;
  /** Resolves with the JSON answer when the samples are durable and visible. */
  commit(): Promise<string>;
  abort(): void;
}

/** `noteSuspect` hears of each body with times that look as if they were in another unit. */
export function startIngest(
  storage: SeriesStore,
  options: IngestOptions,
  noteSuspect: (suspect: UnitSuspect) => void,
): Ingest {
  const request = storage.beginIngest(options);
  return {
    write: (chunk, ms) => request.write(chunk, ms),
    commit: async () => {
      const report = await request.commit();
      if (report.suspect !== undefined) noteSuspect(report.suspect);
      return printReport(report, options.isLenient);
    },
    abort: () => {
      request.abort();
    },
  };
}

function printReport(report: IngestReport, isLenient: boolean): string {
  if (!isLenient) return `{"ingested":${report.ingested}}`;
  const { ingested, rejected, errors } = report;
  return JSON.stringify({ ingested, rejected, errors });
}
