/** Routes for PromQL queries: instant and range. */

import { AppError } from '../../../common/errors/app-error.js';
import { milliseconds, type Milliseconds } from '../../../common/model/timestamp-unit.js';
import { parameter } from '../../fields/query-schema.js';
import * as json from '../../fields/json-schema.js';
import { ofParameter } from '../../../operations/prometheus-text.js';

import {
  bothWays,
  describe,
  presentQuery,
  queryErrors,
  queryFacts,
  replyOf,
} from './prometheus-route.js';
import { invalid, parseLengthMs, parseLimit, parseOptionalTimeMs, parseTimeMs } from './times.js';

import type { Reply } from '../../route/reply.js';
import type { Request } from '../../route/request.js';
import type { PrometheusContext } from './prometheus-route.js';

type QueryQuestion = Parameters<PrometheusContext['operations']['promql']>[0];

/** The most steps after the first one. */
const kStepsMax = 11_000;

const shared = {
  query: parameter.text('The expression.'),
  timeout: parameter.text(
    'Seconds, or a duration such as `30s`; it can only shorten `query_timeout_ms`.',
  ),
  limit: parameter.text('Maximum number of series; 0 is all.'),
  lookback_delta: parameter.text('Overrides `promql_lookback_ms`: seconds, or a duration.'),
  stats: parameter.text('With any value `data.stats` has the query’s statistics.'),
};

type SharedParameters = Partial<Readonly<Record<keyof typeof shared, string | undefined>>>;

const facts = {
  ...queryFacts,
  tag: 'query',
  errors: [...queryErrors, 'storage_corrupt'],
  limits: [
    ...queryFacts.limits,
    ...(['max_query_series', 'max_query_samples', 'max_query_cells'] as const),
  ],
} as const;

/** Durations in seconds, and counts. */
const queryStats = json.object({
  timings: json.object({
    ...{ evalTotalTime: json.number, execQueueTime: json.number, execTotalTime: json.number },
  }),
  samples: json.object({ totalQueryableSamples: json.count, peakSamples: json.count }),
});

const queryAnswer = json.named(
  'PrometheusQueryAnswer',
  json.object(
    {
      status: { const: 'success' },
      data: json.object(
        { resultType: json.text, result: { type: 'array', items: {} }, stats: queryStats },
        ['stats'],
      ),
      warnings: json.texts,
      infos: json.texts,
    },
    ['warnings', 'infos'],
  ),
);

export const instantQuery = bothWays({
  ...facts,
  path: '/api/v1/query',
  summary: 'Evaluates a PromQL expression at one time.',
  query: presentQuery({
    ...shared,
    time: parameter.text('RFC 3339, or seconds since 1970; now if absent.'),
  }),
  answer: { purpose: 'A vector, matrix, scalar or string.', schema: queryAnswer },
  example: {
    query: { query: '1 + 1', time: '1700000000' },
    answer: { status: 'success', data: { resultType: 'scalar', result: [1700000000, '2'] } },
  },
  handler: ({ query, request }, context) => {
    const wishes = wishesOf(query, request);
    const time = parseOptionalTimeMs('time', query.time) ?? milliseconds(Date.now());
    return answer(request, context, questionAt({ start: time, end: time, step: null }, wishes));
  },
});

export const rangeQuery = bothWays({
  ...facts,
  path: '/api/v1/query_range',
  summary: 'Evaluates a PromQL expression at each step of a time range.',
  query: presentQuery({
    ...shared,
    start: parameter.text('The first time: RFC 3339, or seconds since 1970. Required.'),
    end: parameter.text('The last time, inclusive. Required.'),
    step: parameter.text('Time between two steps: seconds, or a duration such as `1m`. Required.'),
  }),
  answer: { purpose: 'A matrix, sorted by labels.', schema: queryAnswer },
  example: {
    query: { query: '1 + 1', start: '1700000000', end: '1700000060', step: '1m' },
    answer: {
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: {},
            values: [
              [1700000000, '2'],
              [1700000060, '2'],
            ],
          },
        ],
      },
    },
  },
  handler: ({ query, request }, context) => {
    const wishes = wishesOf(query, request);
    const start = parseTimeMs('start', given('start', query.start));
    const end = parseTimeMs('end', given('end', query.end));
    if (end < start) throw invalid('end', 'end timestamp must not be before start time');
    const step = parseStep(given('step', query.step));
    if (Math.floor((end - start) / step) > kStepsMax) throw tooManySteps();
    return answer(request, context, questionAt({ start, end, step }, wishes));
  },
});

/**
 * The parameter's text. If it is missing, the error has Prometheus' words for an empty text plus
 * the reason.
 */
function given(name: string, text: string | undefined): string {
  if (text !== undefined) return text;
  const type = name === 'step' ? 'duration' : 'timestamp';
  throw invalid(name, `cannot parse "" to a valid ${type}: ${name} is missing`);
}

function parseStep(text: string): Milliseconds {
  const step = /^[+-]?nan$/i.test(text)
    ? milliseconds(0)
    : parseLengthMs(text, (why) => invalid('step', why));
  if (step > 0) return step;
  const refused = 'zero or negative query resolution step widths are not accepted';
  throw invalid('step', `${refused}. Try a positive integer`);
}

function tooManySteps(): AppError {
  const most = 'exceeded maximum resolution of 11,000 points per timeseries';
  const message = `${most}. Try decreasing the query resolution (?step=XX)`;
  return new AppError('invalid_parameter', message);
}

type QuestionTimes = Pick<QueryQuestion, 'start' | 'end' | 'step'>;
type Wishes = Omit<QueryQuestion, keyof QuestionTimes>;

/** Copies member by member, since spreading both takes longer than all other work here. */
function questionAt({ start, end, step }: QuestionTimes, wishes: Wishes): QueryQuestion {
  const { text, limit, timeoutMs, lookbackMs, wantsStats, infos } = wishes;
  return { text, start, end, step, limit, timeoutMs, lookbackMs, wantsStats, infos };
}

function wishesOf(asked: SharedParameters, { warnings: infos }: Request): Wishes {
  const { query: text = '', timeout = '', lookback_delta: lookback = '' } = asked;
  const limit = parseLimit(asked.limit);
  const timeoutMs = timeout === '' ? null : parseTimeout(timeout);
  const lookbackMs = lookback === '' ? null : parseLengthMs(lookback, badLookback);
  return {
    text,
    limit,
    timeoutMs,
    lookbackMs: lookbackMs !== null && lookbackMs > 0 ? lookbackMs : null,
    wantsStats: (asked.stats ?? '') !== '',
    infos,
  };
}

function parseTimeout(text: string): Milliseconds {
  const timeoutMs = parseLengthMs(text, (why) => invalid('timeout', why));
  return timeoutMs > 0 ? timeoutMs : milliseconds(0);
}

function badLookback(why: string): AppError {
  return new AppError('invalid_parameter', `error parsing lookback delta duration: ${why}`);
}

function answer(
  request: Request,
  { operations }: PrometheusContext,
  question: QueryQuestion,
): Reply | Promise<Reply> {
  const fail = (error: unknown): never => {
    throw ofParameter('query', error);
  };
  describe(request, question.text);
  try {
    const reply = replyOf(request, operations.promql(question, request));
    return reply instanceof Promise ? reply.catch(fail) : reply;
  } catch (error) {
    return fail(error);
  }
}
