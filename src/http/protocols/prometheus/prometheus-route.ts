/** The context of Prometheus routes, and their declaration. */

import { AppError } from '../../../common/errors/app-error.js';
import { querySchema, type QueryField, type QueryReader } from '../../fields/query-schema.js';
import { formBody, kFormType } from '../../route/route-body.js';
import { jsonReply, streamReply, type Reply } from '../../route/reply.js';
import { routesFor, type DeclareRoute, type Route } from '../../route/route.js';
import { visibleBeginning } from '../../../common/model/visible-text.js';

import { prometheus } from './dialect.js';

import type { Request } from '../../route/request.js';
import type { Operations } from '../../../operations/operations.js';

export interface PrometheusContext {
  readonly operations: Operations;
}

export type PrometheusRoute = Route<PrometheusContext>;
type PrometheusDeclaration = Parameters<typeof prometheusRoute>[0];

/** A query times out by itself. After this extra time the server is faulty. */
const kGraceMs = 5000;

export const prometheusRoute: DeclareRoute<PrometheusContext> = routesFor();

/** The common facts of all routes that run queries. */
export const queryFacts = {
  protocol: prometheus,
  scope: 'read',
  timeLimit: {
    setting: 'query_timeout_ms',
    ms: ({ operations }: PrometheusContext) => operations.queryTimeoutMs + kGraceMs,
  },
  limits: ['max_concurrent_queries', 'memory_limit_bytes'],
} as const;

export const queryErrors = [
  ...(['invalid_parameter', 'parse_failed', 'validation_failed', 'query_limit_exceeded'] as const),
  ...(['query_timeout', 'query_cancelled', 'too_many_queries', 'execution_error'] as const),
] as const;

/** Parameters of a route that reads only the current state. */
export function presentQuery<const F extends Readonly<Record<string, QueryField<unknown>>>>(
  fields: F,
): ReturnType<typeof querySchema<F>> {
  return querySchema(fields, { refused: { as_of: noPastState } });
}

const noPastState =
  'as_of is not a parameter of PromQL, which reads no past state; /api/v1/seriesql, /api/v1/query/range and /api/v1/export take it';

interface PrometheusRequest<Query> {
  readonly query: Query;
  readonly request: Request;
}

interface BothWays<Query> extends Pick<
  PrometheusDeclaration,
  'path' | 'protocol' | 'scope' | 'tag' | 'summary' | 'answer' | 'errors' | 'limits'
> {
  readonly timeLimit?: (typeof queryFacts)['timeLimit'];
  readonly query: QueryReader<Query>;
  readonly example: {
    readonly query: Readonly<Record<string, string>>;
    readonly answer: object;
    readonly isSketch?: true;
  };
  readonly handler: (
    asked: PrometheusRequest<Query>,
    context: PrometheusContext,
  ) => Reply | Promise<Reply>;
}

/**
 * Declares a route by GET, and by POST with a form. The form's parameters precede those of the
 * query string.
 */
export function bothWays<Query>(declaration: BothWays<Query>): readonly PrometheusRoute[] {
  const { query, example, handler, errors = [], ...facts } = declaration;
  const byUrl = prometheusRoute({ ...facts, method: 'GET', errors, query, example, handler });
  const { answer, isSketch } = example;
  const byForm = prometheusRoute({
    ...facts,
    method: 'POST',
    summary: 'The same, with the parameters in a form.',
    query,
    body: formBody('The parameters as a form; they take precedence over the query string.'),
    errors: [...errors, 'payload_too_large', 'unsupported_media_type'],
    example: {
      body: new URLSearchParams(example.query).toString(),
      answer,
      ...(isSketch === undefined ? {} : { isSketch }),
    },
    handler: ({ body, request }, context) => {
      if (body !== '') checkContentType(request.head.contentType);
      return handler(
        { query: query.read(`${body}&${request.head.query}`, request), request },
        context,
      );
    },
  });
  return [byUrl, byForm];
}

function checkContentType(contentType = ''): void {
  const [mediaType = ''] = contentType.split(';');
  if (mediaType === '' || mediaType.trim().toLowerCase() === kFormType) return;
  throw new AppError('unsupported_media_type', `Content-Type must be ${kFormType}`);
}

type PromqlRead = ReturnType<Operations['promql']>;

/** Adds the statement to the log of slow queries. */
export function describe(request: Request, text: string): void {
  request.describe(() => ({ statement: visibleBeginning(text) }));
}

export function answerRead(request: Request, asked: PromqlRead): Reply | Promise<Reply> {
  describe(request, asked.text);
  return replyOf(request, asked);
}

/** Sends the complete answer at once, otherwise streams it. */
export function replyOf(request: Request, asked: PromqlRead): Reply | Promise<Reply> {
  if (asked.whole !== null) return jsonReply(asked.whole);
  request.onAbandoned(() => {
    asked.cancel();
  });
  return asked.started.then(streamReply);
}

export function success(data: unknown): Reply {
  return jsonReply(JSON.stringify({ status: 'success', data }));
}
