/** One metric over a window: what it is, and its picture. */

import { goOn, lastTime, loadPicture, type PictureWish } from './pictures.js';
import { ask } from './server.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Picture } from '../chart/picture.js';
import type { TimeWindow } from '../time-window.js';

/** `metric` is null where there is none of the name. */
export interface Look {
  readonly metric: MetricDescriptor | null;
  readonly picture: Picture | null;
  /** When the last sample is, where none is in the window; null: none at all. */
  readonly lastTs: bigint | null;
}

interface LookQuestion {
  readonly name: string;
  readonly wish: Omit<PictureWish, 'window' | 'metric' | 'keys' | 'isCounter'>;
  /** Of a metric, now. */
  readonly windowOf: (metric: MetricDescriptor) => TimeWindow;
  /** The answer to the same question before, of which only the end is another now. */
  readonly last: Look | null;
}

export async function loadLook(question: LookQuestion, signal: AbortSignal): Promise<Look> {
  const { name, last } = question;
  const metric = last?.metric ?? (await findMetric(name, signal));
  if (metric === null) return { metric, picture: null, lastTs: null };
  const wish: PictureWish = {
    ...{ ...question.wish, metric: name, keys: metric.label_keys },
    ...{ isCounter: metric.kind === 'counter', window: question.windowOf(metric) },
  };
  const before = last?.picture ?? null;
  const canGoOn = before !== null && before.lines.length > 0;
  const picture = canGoOn ? await goOn(before, wish, signal) : await loadPicture(wish, signal);
  const isEmpty = picture.lines.length === 0;
  return { metric, picture, lastTs: isEmpty ? await lastTime(wish, signal) : null };
}

/** The first metric whose name begins so is the one that is named so. */
async function findMetric(name: string, signal: AbortSignal): Promise<MetricDescriptor | null> {
  const [first] = await ask((client) => client.findMetrics({ prefix: name, limit: 1 }, { signal }));
  return first?.metric === name ? first : null;
}
