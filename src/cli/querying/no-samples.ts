/** Explains why the range of a series is empty: its metric or its labels may be wrong. */

import { didYouMean, kComparedMax, namesLike } from '../../common/model/nearest.js';
import { visible } from '../../common/model/visible-text.js';
import { kMeantMax, labelsHint } from '../../operations/names/meant-labels.js';
import { printLabels } from '../session/table.js';

import type { Labels, SeriesSelector } from '../../client/client.js';
import type { TimedContext } from '../session/client-context.js';

export async function whyNoSamples(
  context: TimedContext,
  selector: SeriesSelector,
): Promise<string> {
  if ('metric' in selector) return whyNone(context, selector.metric, selector.labels ?? null);
  if ('series' in selector) return whyNone(context, selector.series, selector.tags ?? null);
  return 'no samples';
}

async function whyNone(
  context: TimedContext,
  name: string,
  labels: Labels | null,
): Promise<string> {
  return (await whatIsWrong(context, name, labels)) ?? 'no samples';
}

/** Null: the series exists. */
export async function whatIsWrong(
  { client, signal }: TimedContext,
  name: string,
  labels: Labels | null,
): Promise<string | null> {
  const filter = { metric: name, limit: kMeantMax + 1 };
  const wanted = labels === null ? {} : { labels };
  const found = await client.findSeries({ ...filter, ...wanted }, { signal });
  if (found.length > 0) {
    if (labels === null) return null;
    const text = printLabels(labels);
    if (found.some((one) => printLabels(one.labels) === text)) return null;
    return incomplete(
      name,
      text,
      found.map((one) => printLabels(one.labels)),
    );
  }
  const others = await client.findSeries({ metric: name, limit: 1 }, { signal });
  if (others.length > 0) {
    const list = `seriesdb find series ${shown(name)} lists them`;
    return `no series of ${visible(name)} has ${visible(printLabels(labels ?? {}))}; ${list}`;
  }
  const known = await namesLike(name, async (prefix) => {
    const metrics = await client.findMetrics({ prefix, limit: kComparedMax }, { signal });
    return metrics.map(({ metric }) => metric);
  });
  const near = didYouMean(name, known);
  return `no metric ${visible(name)}; ${near ?? 'seriesdb find metrics lists all'}`;
}

function incomplete(name: string, text: string, found: readonly string[]): string {
  const flags = text === '' ? '' : ' -l …';
  const finds = `seriesdb find series ${shown(name)}${flags} finds by some`;
  return `${labelsHint(found.map((one) => visible(one)))}; ${finds}`;
}

function shown(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${visible(name)}'`;
}
