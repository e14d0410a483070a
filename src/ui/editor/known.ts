/** Names and values of the database for completion, requested once a minute at most. */

import { ask } from '../data/server.js';

import type { Knowledge } from './suggestions.js';
import type { LabelValuesFilter, MetricDescriptor } from '../../client/client.js';

const kKeptMs = 60_000;
/** The most suggestions; a user reads no more. */
const kFoundMax = 50;
/** The number of metrics whose labels are suggested if the statement names no metric. */
const kSurveyMax = 200;

interface KeptAnswer {
  readonly atMs: number;
  readonly answer: Promise<unknown>;
}

const kept = new Map<string, KeptAnswer>();

/** Forgets a failed or aborted request, so that it is repeated. */
function remembered<T>(key: string, question: () => Promise<T>): Promise<T> {
  const known = kept.get(key);
  if (known !== undefined && performance.now() - known.atMs < kKeptMs) {
    return known.answer as Promise<T>;
  }
  const answer = question();
  kept.set(key, { atMs: performance.now(), answer });
  answer.catch(() => kept.delete(key));
  return answer;
}

function metricsLike(prefix: string, signal: AbortSignal): Promise<readonly MetricDescriptor[]> {
  return remembered(`metrics ${prefix}`, () =>
    ask((client) => client.findMetrics({ prefix, limit: kFoundMax }, { signal })),
  );
}

/** The labels of one metric, or of the first metrics. */
async function keysOf(metric: string | null, signal: AbortSignal): Promise<readonly string[]> {
  const filter = metric === null ? { limit: kSurveyMax } : { prefix: metric, limit: 1 };
  const found = await remembered(`keys ${metric ?? ''}`, () =>
    ask((client) => client.findMetrics(filter, { signal })),
  );
  const wanted = found.filter((one) => metric === null || one.metric === metric);
  return [...new Set(wanted.flatMap((one) => one.label_keys))].sort();
}

function valuesOf(filter: LabelValuesFilter, signal: AbortSignal): Promise<readonly string[]> {
  return remembered(`values ${JSON.stringify(filter)}`, () =>
    ask((client) => client.labelValues({ ...filter, limit: kFoundMax }, { signal })),
  );
}

export const knowledge: Knowledge = { metricsLike, keysOf, valuesOf };
