/** Which whole labels were meant by an exact selector that has only some of them, for errors. */

import { textOf } from '../byte-streams.js';
import { findSeries } from '../discovery.js';

import type { LabelPairs } from '../../common/model/selector.js';
import type { SeriesStore } from '../../storage/storage.js';

/** A hint, or undefined where no series has these labels. Never rejects: it explains an error. */
export async function meantLabels(
  storage: SeriesStore,
  metric: string,
  labels: LabelPairs,
): Promise<string | undefined> {
  const [first, second] = await seriesWith(storage, metric, labels).catch(() => []);
  if (first === undefined) return undefined;
  const whole = JSON.stringify(first.labels ?? {});
  const others = second === undefined ? '' : ', or of other series';
  return `labels must be complete: ${whole}${others}`;
}

interface Found {
  readonly labels?: Readonly<Record<string, string>>;
}

async function seriesWith(
  storage: SeriesStore,
  metric: string,
  labels: LabelPairs,
): Promise<readonly Found[]> {
  const asked = { metric, labels, op: 'and', limit: 2, after: undefined } as const;
  return JSON.parse(await textOf(findSeries(storage, asked))) as readonly Found[];
}
