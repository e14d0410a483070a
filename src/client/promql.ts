/** PromQL queries and answers in the shape of the Prometheus API, but with values as numbers. */

import { invalidAnswer } from './client-error.js';

import type { Labels } from './api-types.js';

/** Seconds since 1970, or RFC 3339. */
export type PromqlTime = number | string;

/** One time (default: now), or each step of a range. A step is in seconds, or a text like `1m`. */
export type PromqlTimes =
  | { readonly time?: PromqlTime }
  | { readonly start: PromqlTime; readonly end: PromqlTime; readonly step: number | string };

export interface PromqlWishes {
  /** The most series in the answer. */
  readonly limit?: number;
  /** The query timeout: seconds or `30s`. The server's own timeout applies if it is shorter. */
  readonly timeout?: number | string;
  /** The greatest age of a sample: seconds or `5m`. */
  readonly lookback_delta?: number | string;
}

export type PromqlPoint = readonly [seconds: number, value: number];

export interface PromqlSample {
  readonly metric: Labels;
  readonly value: PromqlPoint;
}

export interface PromqlSeries {
  readonly metric: Labels;
  readonly values: readonly PromqlPoint[];
}

type PromqlOutcome =
  | { readonly resultType: 'vector'; readonly result: readonly PromqlSample[] }
  | { readonly resultType: 'matrix'; readonly result: readonly PromqlSeries[] }
  | { readonly resultType: 'scalar'; readonly result: PromqlPoint }
  | { readonly resultType: 'string'; readonly result: readonly [seconds: number, text: string] };

export type PromqlAnswer = PromqlOutcome & {
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
};

export function promqlCall(text: string, times: PromqlTimes, wishes: PromqlWishes) {
  const { limit, timeout, lookback_delta } = wishes;
  const route = 'start' in times ? 'query_range' : 'query';
  return formCall(route, { query: text, ...times, limit, timeout, lookback_delta });
}

export function formatCall(text: string) {
  return formCall('format_query', { query: text });
}

function formCall(
  route: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) body.set(name, String(value));
  }
  return {
    method: 'POST',
    path: `/api/v1/${route}`,
    body: body.toString(),
    contentType: 'application/x-www-form-urlencoded',
    isRepeatable: true,
  } as const;
}

type SentPoint = readonly [number, string];

interface SentAnswer {
  readonly data: { readonly resultType: string; readonly result: unknown };
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
}

export function parseFormatted(text: string): string {
  try {
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    if (typeof data === 'string') return data;
  } catch {
    // The error follows below.
  }
  throw invalidAnswer('the server answered no text');
}

export function parsePromqlAnswer(text: string): PromqlAnswer {
  try {
    const { data, warnings = [], infos = [] } = JSON.parse(text) as SentAnswer;
    return { ...outcomeOf(data), warnings, infos };
  } catch (cause) {
    throw invalidAnswer('the server answered something else than values of PromQL', cause);
  }
}

function outcomeOf({ resultType, result }: SentAnswer['data']): PromqlOutcome {
  switch (resultType) {
    case 'vector': {
      const sent = result as readonly { readonly metric: Labels; readonly value: SentPoint }[];
      return { resultType, result: sent.map((one) => ({ ...one, value: pointOf(one.value) })) };
    }
    case 'matrix': {
      const sent = result as readonly { readonly metric: Labels; readonly values: SentPoint[] }[];
      return {
        resultType,
        result: sent.map((one) => ({ ...one, values: one.values.map(pointOf) })),
      };
    }
    case 'scalar':
      return { resultType, result: pointOf(result as SentPoint) };
    case 'string':
      return { resultType, result: result as SentPoint };
    default:
      throw new TypeError(`unknown type of result: ${resultType}`);
  }
}

function pointOf([seconds, text]: SentPoint): PromqlPoint {
  return [seconds, Number(text.replace('Inf', 'Infinity'))];
}
