/** The dialect of remote_write routes. */

import { plainErrors, plainText } from '../../route/plain-errors.js';
import { emptyReply, type Reply } from '../../route/reply.js';

import type { StoredIngestReport } from '../../../operations/ingest.js';

export const remoteWrite = plainErrors('remote_write');

/** The number of native histograms. Two samples of each are stored. */
export function histogramsOf({ skipped }: StoredIngestReport): number {
  return skipped.find(({ reason }) => reason === 'native_histogram')?.count ?? 0;
}

/** An answer of version 2.0 with the stored counts. `refusal` is null if everything was stored. */
export function withWritten(report: StoredIngestReport, refusal: string | null): Reply {
  const samples = report.ingested - 2 * histogramsOf(report);
  const written = [
    ['Samples', Math.max(0, samples)],
    ['Histograms', 0],
    ['Exemplars', 0],
  ] as const;
  const headers = written.map(
    ([what, count]) =>
      [`x-prometheus-remote-write-${what.toLowerCase()}-written`, `${count}`] as const,
  );
  if (refusal === null) return emptyReply(headers);
  return { status: 400, contentType: plainText, headers, body: `${refusal}\n` };
}
