/** Metrics as discovery lists them, for code that looks at names, kinds and labels. */

import { objectTexts } from '../../query/seriesql/execute/json-texts.js';
import { findMetrics, type MetricsQuestion } from '../discovery.js';

import type { SeriesStore } from '../../storage/storage.js';

export interface DiscoveredMetric {
  readonly metric: string;
  readonly kind: string;
  readonly label_keys?: readonly string[];
}

/**
 * The most text of a list, which no memory account counts: 2,000 metrics with 2 KiB of names and
 * labels each.
 */
const kTextMax = 4 * 1024 * 1024;

/** At most `limit` metrics, and fewer if they have many labels. At least one if there is any. */
export async function foundMetrics(
  storage: SeriesStore,
  asked: Partial<MetricsQuestion> & { readonly limit: number },
): Promise<readonly DiscoveredMetric[]> {
  const all = { prefix: undefined, labels: undefined, ...asked };
  const stream = findMetrics(storage, all);
  const found: DiscoveredMetric[] = [];
  let size = 0;
  try {
    for await (const text of objectTexts(stream)) {
      found.push(JSON.parse(text) as DiscoveredMetric);
      size += text.length;
      if (size >= kTextMax) break;
    }
  } finally {
    stream.close();
  }
  return found;
}
