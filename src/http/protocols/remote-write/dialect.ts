/** What the routes of remote_write have in place of ours. */

import { plainErrors, plainText } from '../../route/plain-errors.js';
import { emptyReply, type Reply } from '../../route/reply.js';

import type { IngestReport } from '../../../operations/ingest.js';

export const remoteWrite = plainErrors('remote_write');

/** Native histograms, of each of which two samples are stored. */
export function histogramsOf({ skipped }: IngestReport): number {
  return skipped.find(({ reason }) => reason === 'native_histogram')?.count ?? 0;
}

/** An answer of 2.0, which tells how much was stored. `refusal` is null where that is all. */
export function withWritten(report: IngestReport, refusal: string | null): Reply {
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
