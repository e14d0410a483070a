/** How receivers of remote_write say what went wrong: a line of text for the log of the sender. */

import * as json from '../../http/fields/json-schema.js';

import { emptyReply, type Reply } from '../../http/route/reply.js';

import type { RouteProtocol } from '../../http/route/route.js';
import type { IngestReport } from '../../operations/ingest.js';

type Headers = NonNullable<Reply['headers']>;

const kText = 'text/plain; charset=utf-8';

export const remoteWrite: RouteProtocol = {
  name: 'remote_write',
  errorSchema: json.named('PlainError', json.text),
  errorMediaType: 'text/plain',
  printError: ({ error, headers }) => {
    const { status, message } = error;
    // Senders try again after any 5xx and drop what a 4xx refuses.
    const isRetried = status === 503 && !headers.some(([name]) => name === 'retry-after');
    const retry: Headers = isRetried ? [['retry-after', '10']] : [];
    return { status, contentType: kText, headers: [...headers, ...retry], body: `${message}\n` };
  },
};

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
  return { status: 400, contentType: kText, headers, body: `${refusal}\n` };
}
