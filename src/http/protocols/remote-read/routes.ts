/** Routes of remote_read, by which Prometheus and similar systems read samples. */

import { AppError } from '../../../common/errors/app-error.js';
import { decodedBody } from '../../route/decoded-body.js';
import { routesFor, type DeclareRoute, type Route } from '../../route/route.js';
import { remoteRead } from './dialect.js';
import { readRequest } from './request.js';

import type { Request } from '../../route/request.js';
import type { Operations } from '../../../operations/operations.js';

interface RemoteReadContext {
  readonly operations: Operations;
}

const kMediaType = 'application/x-protobuf';
const kStreamedType = 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse';
/** Dashboard menus may produce long lists of values. In bytes. */
const kRequestSizeMax = 256 * 1024;
/** A read times out by itself. After this extra time the server is faulty. */
const kGraceMs = 5000;

const remoteReadRoute: DeclareRoute<RemoteReadContext> = routesFor();

const read = remoteReadRoute({
  method: 'POST',
  path: '/api/v1/read',
  scope: 'read',
  tag: 'read',
  protocol: remoteRead,
  summary: 'Answers remote_read requests, as SAMPLES or as STREAMED_XOR_CHUNKS.',
  body: decodedBody({
    mediaType: kMediaType,
    unnamed: 'snappy',
    purpose:
      'A prometheus.ReadRequest. Content-Encoding is snappy (also when it is absent), zstd, gzip or identity.',
    sizeMax: kRequestSizeMax,
  }),
  timeLimit: {
    setting: 'query_timeout_ms',
    ms: ({ operations }) => operations.queryTimeoutMs + kGraceMs,
  },
  answer: {
    purpose:
      'As SAMPLES a prometheus.ReadResponse in one block of snappy, at most 256 MiB and 50,000,000 samples; as STREAMED_XOR_CHUNKS frames of at most 1 MiB, as many as it takes.',
    mediaType: kMediaType,
    otherMediaTypes: [kStreamedType],
  },
  errors: [
    ...(['unsupported_media_type', 'parse_failed', 'validation_failed'] as const),
    ...(['query_limit_exceeded', 'query_timeout', 'query_cancelled', 'too_many_queries'] as const),
    ...(['execution_error', 'storage_corrupt'] as const),
  ],
  limits: [
    ...['max_concurrent_queries', 'max_query_series', 'max_query_samples'],
    'memory_limit_bytes',
  ],
  example: { body: '', answer: '', isSketch: true },
  handler: async ({ body, request }, { operations }) => {
    checkContentType(request.head.contentType);
    const { reads, form } = readRequest(body);
    const isEscaped = wantsEscaped(request.head);
    const asked = operations.remoteRead(reads, { form, isEscaped }, request);
    request.onAbandoned(() => {
      asked.cancel();
    });
    request.describe(() => ({ statement: asked.text }));
    const pieces = await asked.started;
    if (form === 'chunks') {
      return { status: 200, contentType: kStreamedType, isDense: true, body: pieces };
    }
    const headers = [['content-encoding', 'snappy']] as const;
    return { status: 200, contentType: kMediaType, headers, body: pieces };
  },
});

export const remoteReadRoutes: readonly Route<RemoteReadContext>[] = [read];

/**
 * True if the reader needs escaped names. The protocol has no field for that. Prometheus before 3.0
 * names itself in User-Agent; any reader may use the Accept parameter `escaping` of scrapes.
 */
function wantsEscaped({ accept = '', userAgent = '' }: Request['head']): boolean {
  const [, escaping] = /;\s*escaping\s*=\s*"?([\w-]+)/i.exec(accept) ?? [];
  if (escaping !== undefined) return escaping.toLowerCase() === 'underscores';
  return /^Prometheus\/[0-2]\./.test(userAgent);
}

function checkContentType(contentType = ''): void {
  const [mediaType = ''] = contentType.split(';');
  if (mediaType === '' || mediaType.trim().toLowerCase() === kMediaType) return;
  throw new AppError('unsupported_media_type', `Content-Type must be ${kMediaType}`);
}
