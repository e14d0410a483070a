/** Storing the samples of one NDJSON body. */

import type { IngestOptions, IngestReport, Storage } from '../storage/storage.js';

/** One body in progress; nothing is stored before `commit` resolves. */
export interface Ingest {
  /** `chunk` is lent for the call. Throws the first error of the body. */
  write(chunk: Uint8Array): void;
  /** Resolves with the JSON answer when the samples are durable and visible. */
  commit(): Promise<string>;
  abort(): void;
}

export function startIngest(storage: Storage, options: IngestOptions): Ingest {
  const request = storage.beginIngest(options);
  return {
    write: (chunk) => {
      request.write(chunk);
    },
    commit: async () => printReport(await request.commit(), options.isLenient),
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
