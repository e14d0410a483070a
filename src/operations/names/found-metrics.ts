/** Metrics as discovery lists them, for code that looks at names, kinds and labels. */

import { textOf } from '../byte-streams.js';
import { findMetrics, type MetricsQuestion } from '../discovery.js';

import type { SeriesStore } from '../../storage/storage.js';

export interface DiscoveredMetric {
  readonly metric: string;
  readonly kind: string;
  readonly label_keys?: readonly string[];
}

/** At most `limit` metrics. Ask for few, since the list is held in memory. */
export async function foundMetrics(
  storage: SeriesStore,
  asked: Partial<MetricsQuestion> & { readonly limit: number },
): Promise<readonly DiscoveredMetric[]> {
  const all = { prefix: undefined, labels: undefined, ...asked };
  return JSON.parse(await textOf(findMetrics(storage, all))) as readonly DiscoveredMetric[];
}
