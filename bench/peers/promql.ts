/** The questions in PromQL: paths of GET requests. Buckets end where our next ones begin. */
import { counterField, counterName, metrics, stepMs } from '../generator.js';
import type { Draw } from '../query/draw.js';
import type { Words } from '../query/words.js';

import { firstMetric, kMinuteMs } from './asked.js';

/** Names of stored metrics and counters. */
interface Names {
  readonly nameOf: (metric: string) => string;
  readonly counter: string;
}

function wordsFor({ nameOf, counter }: Names): Words {
  const selector = (asked: Draw, metric: string, which: Which): string =>
    selectorOf(asked, nameOf(metric), which);
  return {
    maxByMetric(asked, bucketMs) {
      const terms = asked.metrics.map((metric) => {
        const inner = `max(max_over_time(${selector(asked, metric, 'drawn')}[${seconds(bucketMs)}s]))`;
        // Functions drop the metric's name, and `or` drops series with equal labels.
        return asked.metrics.length === 1
          ? inner
          : `label_replace(${inner}, "metric", "${metric}", "", "")`;
      });
      return rangePath(terms.join(' or '), asked, bucketMs);
    },
    newestMax(asked) {
      const inner = `max(max_over_time(${selector(asked, firstMetric(asked), 'all')}[60s]))`;
      return rangePath(inner, asked, kMinuteMs);
    },
    averageByHost(asked, bucketMs) {
      const window = `${selector(asked, firstMetric(asked), 'all')}[${seconds(bucketMs)}s]`;
      return rangePath(`avg by (host) (avg_over_time(${window}))`, asked, bucketMs);
    },
    rowsAbove: (asked, least) =>
      rangePath(`${selector(asked, firstMetric(asked), 'all')} > ${String(least)}`, asked, stepMs),
    lastValues({ hosts, end }) {
      const names = metrics.map((metric) => nameOf(metric).replace('.', '\\\\.')).join('|');
      return instantPath(`{__name__=~"${names}",host!~"${hosts.join('|')}"}`, end - 1);
    },
    ratesByHost: (asked) => ratePath(asked, counter),
    samples(asked) {
      const length = seconds(asked.end - asked.start);
      const window = `${selector(asked, firstMetric(asked), 'drawn')}[${length}s]`;
      return instantPath(window, asked.end - 1);
    },
  };
}

/** Names by line protocol and remote_write. */
export const promql = wordsFor({ nameOf: (metric) => `cpu_${metric}`, counter: counterName });
/** Names of fields of a metric in seriesdb. */
export const promqlOfFields = wordsFor({
  nameOf: (metric) => `cpu.${metric}`,
  counter: counterField,
});

/** Reads raw samples by the export, where there is one, since it is faster. */
export const promqlWithExport: Words = {
  ...promql,
  samples(asked) {
    const name = `cpu_${firstMetric(asked)}`;
    const match = encodeURIComponent(selectorOf(asked, name, 'drawn'));
    const window = `start=${seconds(asked.start)}&end=${seconds(asked.end - 1)}`;
    return `/api/v1/export?match[]=${match}&${window}`;
  },
};

/** The drawn hosts, or all hosts. */
type Which = 'drawn' | 'all';

function selectorOf({ hosts }: Draw, name: string, which: Which): string {
  const operator = hosts.length === 1 ? '=' : '=~';
  const of = which === 'all' ? '' : `,host${operator}"${hosts.join('|')}"`;
  return `{__name__="${name}"${of}}`;
}

const seconds = (ms: number): string => String(ms / 1000);

// PromQL names a bucket by its end.
function rangePath(query: string, { start, end }: Draw, bucketMs: number): string {
  return queryRangePath(query, { start: Math.min(start + bucketMs, end), end, step: bucketMs });
}

/** The per-second growth of each host's counters over five minutes, at each minute. */
export function ratePath({ start, end }: Draw, counter: string): string {
  const query = `sum by (host) (rate({__name__="${counter}"}[5m]))`;
  return queryRangePath(query, { start, end, step: kMinuteMs });
}

/** All values are in milliseconds. */
interface Steps {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export function queryRangePath(query: string, { start, end, step }: Steps): string {
  const window = `start=${seconds(start)}&end=${seconds(end)}&step=${seconds(step)}`;
  return `/api/v1/query_range?query=${encodeURIComponent(query)}&${window}`;
}

function instantPath(query: string, time: number): string {
  return `/api/v1/query?query=${encodeURIComponent(query)}&time=${seconds(time)}`;
}
