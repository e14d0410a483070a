/** OTLP's formats of errors and of partial success. */

import * as json from '../../fields/json-schema.js';
import { kJson, kProtobuf, mediaTypeOf } from './media-type.js';
import { otlpMessages } from './messages.js';

import type { Reply } from '../../route/reply.js';
import type { RouteProtocol } from '../../route/route.js';
import type { StoredIngestReport } from '../../../operations/ingest.js';

/** Codes of google.rpc.Code by HTTP status. */
const codes = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 5],
  [405, 12],
  [413, 8],
  [415, 3],
  [503, 14],
]);
const kInternal = 13;

export const otlp: RouteProtocol = {
  name: 'otlp',
  errorSchema: json.named('RpcStatus', json.object({ code: json.count, message: json.text })),
  printError: ({ error, headers, contentType }) => {
    const status = { code: codes.get(error.status) ?? kInternal, message: error.message };
    // Exporters retry a 503 if the answer has Retry-After.
    const isRetried = error.status === 503 && !headers.some(([name]) => name === 'retry-after');
    return {
      status: error.status,
      headers: isRetried ? [...headers, ['retry-after', '10']] : headers,
      ...(mediaTypeOf(contentType) === kProtobuf
        ? { contentType: kProtobuf, body: otlpMessages().rpcStatus.encode(status).finish() }
        : { contentType: kJson, body: JSON.stringify(status) }),
    };
  },
};

/** The valid points are stored. A partial success tells the client not to send the rest again. */
export function exported(
  report: StoredIngestReport,
  mediaType: typeof kProtobuf | typeof kJson,
): Reply {
  const errorMessage = messageOf(report);
  const partial = { rejectedDataPoints: report.rejected, errorMessage };
  const answer = errorMessage === '' ? {} : { partialSuccess: partial };
  if (mediaType === kProtobuf) {
    const body = otlpMessages().exportResponse.encode(answer).finish();
    return { status: 200, contentType: kProtobuf, body };
  }
  // In JSON, an int64 is a text.
  const text = { ...partial, rejectedDataPoints: String(report.rejected) };
  const body = JSON.stringify(errorMessage === '' ? {} : { partialSuccess: text });
  return { status: 200, contentType: kJson, body };
}

function messageOf({ rejected, lines, errors, skipped }: StoredIngestReport): string {
  const said: string[] = [];
  const [first] = errors;
  if (first !== undefined) {
    said.push(`${rejected} of ${lines} data points rejected: ${first.error}`);
  }
  const histograms = skipped.find(({ reason }) => reason === 'native_histogram')?.count ?? 0;
  if (histograms > 0) {
    said.push(`only _count and _sum of ${histograms} exponential histograms are stored`);
  }
  return said.join('; ');
}
