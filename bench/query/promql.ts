/** How databases that know PromQL are asked for what a draw says. */
import { metrics, stepMs } from '../generator.js';

import type { Draw } from './draw.js';

/** Which hosts: those drawn, or all. */
type Which = 'drawn' | 'all';

const minuteMs = 60_000;

/** The greatest value of each bucket, over the hosts; of each metric by itself. */
export function maxByMetric(asked: Draw, bucketMs: number): string {
  const terms = asked.metrics.map((metric) => {
    const inner = `max(max_over_time(${selector(asked, metric, 'drawn')}[${seconds(bucketMs)}s]))`;
    // Functions leave the name out, and what has the same labels is not united.
    return asked.metrics.length === 1
      ? inner
      : `label_replace(${inner}, "metric", "${metric}", "", "")`;
  });
  return rangePath(terms.join(' or '), asked, bucketMs);
}

/** The newest buckets, over all hosts: the window is as long as these. */
export function newestMax(asked: Draw): string {
  const [metric = ''] = asked.metrics;
  return rangePath(`max(max_over_time(${selector(asked, metric, 'all')}[60s]))`, asked, minuteMs);
}

export function averageByHost(asked: Draw, bucketMs: number): string {
  const [metric = ''] = asked.metrics;
  const window = `${selector(asked, metric, 'all')}[${seconds(bucketMs)}s]`;
  return rangePath(`avg by (host) (avg_over_time(${window}))`, asked, bucketMs);
}

export function rowsAbove(asked: Draw, least: number): string {
  const [metric = ''] = asked.metrics;
  return rangePath(`${selector(asked, metric, 'all')} > ${String(least)}`, asked, stepMs);
}

/** Of all hosts but those drawn, as they are at the end. */
export function lastValues({ hosts, end }: Draw): string {
  const names = metrics.map((metric) => `cpu_${metric}`).join('|');
  return instantPath(`{__name__=~"${names}",host!~"${hosts.join('|')}"}`, end - 1);
}

/** The samples as they are. */
export function rawSamples(asked: Draw): string {
  const length = seconds(asked.end - asked.start);
  const [metric = ''] = asked.metrics;
  return instantPath(`${selector(asked, metric, 'drawn')}[${length}s]`, asked.end - 1);
}

export function exportedSamples(asked: Draw): string {
  const [metric = ''] = asked.metrics;
  const match = encodeURIComponent(selector(asked, metric, 'drawn'));
  const window = `start=${String(asked.start / 1000)}&end=${String((asked.end - 1) / 1000)}`;
  return `/api/v1/export?match[]=${match}&${window}`;
}

function selector({ hosts }: Draw, metric: string, which: Which): string {
  if (which === 'all') return `cpu_${metric}`;
  const operator = hosts.length === 1 ? '=' : '=~';
  return `cpu_${metric}{host${operator}"${hosts.join('|')}"}`;
}

const seconds = (ms: number): string => String(ms / 1000);

// A bucket is told by its end.
function rangePath(query: string, { start, end }: Draw, bucketMs: number): string {
  const from = Math.min(start + bucketMs, end);
  const window = `start=${seconds(from)}&end=${seconds(end)}&step=${seconds(bucketMs)}`;
  return `/api/v1/query_range?query=${encodeURIComponent(query)}&${window}`;
}

function instantPath(query: string, time: number): string {
  return `/api/v1/query?query=${encodeURIComponent(query)}&time=${seconds(time)}`;
}
