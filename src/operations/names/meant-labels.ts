/** Suggests complete label sets when an exact selector has only some of the labels, for errors. */

import { textOf } from '../byte-streams.js';
import { findSeries } from '../discovery.js';

import type { LabelPairs } from '../../common/model/selector.js';
import type { SeriesStore } from '../../storage/storage.js';

/** Series whose labels are shown. */
export const kMeantMax = 3;

/** A hint, or undefined where no series has these labels. Never rejects: it explains an error. */
export async function meantLabels(
  storage: SeriesStore,
  metric: string,
  labels: LabelPairs,
): Promise<string | undefined> {
  const found = await seriesWith(storage, metric, labels).catch(() => []);
  if (found.length === 0) return undefined;
  return labelsHint(found.map((one) => JSON.stringify(one.labels ?? {})));
}

/** `found` are labels as they are shown, up to one more than `kMeantMax`. */
export function labelsHint(found: readonly string[]): string {
  const others = found.length > kMeantMax ? ['others'] : [];
  return `labels must be complete: ${[...found.slice(0, kMeantMax), ...others].join('; or ')}`;
}

interface FoundLabels {
  readonly labels?: Readonly<Record<string, string>>;
}

async function seriesWith(
  storage: SeriesStore,
  metric: string,
  labels: LabelPairs,
): Promise<readonly FoundLabels[]> {
  const asked = { metric, labels, op: 'and', limit: kMeantMax + 1, after: undefined } as const;
  return JSON.parse(await textOf(findSeries(storage, asked))) as readonly FoundLabels[];
}
