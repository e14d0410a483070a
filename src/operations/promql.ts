/** Queries in PromQL: one text in, an answer of Prometheus' API out. */

import { printAnswer } from '../promql/result/api-json.js';
import { runPromql, type PromqlSettings } from '../promql/run-promql.js';
import { findMetrics } from './discovery.js';
import { resolveMatchers } from './series-matchers.js';
import { textOf } from './stream-text.js';

import type { StepSource } from '../promql/vectors/context.js';
import type { Guard } from '../seriesql/execute/guard.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** All times in milliseconds. */
export interface PromqlQuestion {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Null: at `start` alone. */
  readonly step: number | null;
  /** In place of the setting. */
  readonly lookbackMs?: number;
  /** Shorter than the setting, which holds in any case. */
  readonly timeoutMs?: number;
  /** Most series of the answer; absent: all. */
  readonly limit?: number;
}

interface Answering {
  readonly store: SeriesStore;
  readonly settings: PromqlSettings;
  readonly guard: Guard;
}

/** What an instant query has for the step, which only a division needs. */
const kInstantStepMs = 1;

/** Throws `parse_failed`, `execution_error` and what ends a query. */
export async function answerPromql(
  { store, settings, guard }: Answering,
  question: PromqlQuestion,
): Promise<ByteStream> {
  const { text, start, end, step, lookbackMs, limit = 0 } = question;
  const isInstant = step === null;
  const frame = {
    start,
    step: step ?? kInstantStepMs,
    count: isInstant ? 1 : Math.floor((end - start) / step) + 1,
  };
  const asked = {
    ...{ text, frame, isInstant, guard, source: stepSource(store, guard) },
    settings: lookbackMs === undefined ? settings : { ...settings, lookbackMs },
  };
  const result = await endedByFailure(guard, runPromql(asked));
  const printRows = store.printSteps.bind(store);
  return printAnswer({ result, frame, isInstant, limit, printRows });
}

async function isCounter(store: SeriesStore, metric: string): Promise<boolean> {
  const asked = { prefix: metric, labels: undefined, limit: 1 };
  const text = await textOf(findMetrics(store, asked));
  const [found] = JSON.parse(text) as readonly {
    readonly metric?: string;
    readonly kind?: string;
  }[];
  return found?.metric === metric && found.kind === 'counter';
}

/** What is still being read for a query that failed is given up. */
async function endedByFailure<Result>(guard: Guard, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    guard.cancel();
    throw error;
  }
}

/** What reads samples for a query, within the limits of its guard. */
export function stepSource(store: SeriesStore, guard: Guard): StepSource {
  return {
    folds: true,
    isCounter: (metric) => isCounter(store, metric),
    select: (matchers) => resolveMatchers(store, matchers, guard),
    read: async (query) => {
      const stream = store.openSteps(query);
      const close = (): void => {
        stream.close();
      };
      const table = await guard.during(stream.next(), close);
      guard.countSamples(stream.stats().rowsScanned);
      close();
      if (table === null) throw new Error('steps come in one table');
      return table;
    },
  };
}
