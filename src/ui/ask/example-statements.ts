/** Example statements over the metrics of the database. */

import { keyAsWritten, metricAsWritten } from '../../query/seriesql/language/written-name.js';
import { perSecond, printIso, tsOfMs, type TimeUnit } from '../zone.js';

import type { MetricDescriptor } from '../../client/client.js';

export interface Example {
  readonly title: string;
  readonly statement: string;
}

export interface ExampleNow {
  readonly unit: TimeUnit;
  readonly nowMs: number;
}

const kDay = 86_400n;

/** Eight examples if there is a metric, otherwise two. */
export function examplesFor(
  metrics: readonly MetricDescriptor[],
  now: ExampleNow,
): readonly Example[] {
  const list = { title: 'Every metric', statement: 'show metrics' };
  const first = byWeight(metrics)[0];
  if (first === undefined) return [list, { title: 'A first answer', statement: 'select 1 + 1' }];
  const counter = byWeight(metrics).find(({ kind }) => kind === 'counter');
  const since = boundOf(first, now);
  const from = metricAsWritten(first.metric);
  const key = first.label_keys[0];
  return [
    list,
    { title: 'Its series', statement: `show series from ${from}` },
    {
      title: 'The newest samples',
      statement: `select * from ${from}\nwhere ${since}\norder by time desc limit 100`,
    },
    {
      title: 'An average for each hour',
      statement: `select time_bucket(1h, time) as t, avg(value) as mean\nfrom ${from}\nwhere ${since}\ngroup by t order by t`,
    },
    {
      title: 'Series by their largest value',
      statement: `select series_id, max(value) as highest\nfrom ${from}\nwhere ${since}\ngroup by series_id order by highest desc limit 10`,
    },
    key === undefined
      ? { title: 'Number of samples', statement: `select count(*) from ${from}\nwhere ${since}` }
      : {
          title: `Compared by ${key}`,
          statement: `select tag.${keyAsWritten(key)}, min(value), avg(value), max(value)\nfrom ${from}\nwhere ${since}\ngroup by tag.${keyAsWritten(key)}`,
        },
    counter === undefined
      ? {
          title: 'Median and p99',
          statement: `select quantile(value, 0.5) as median, quantile(value, 0.99) as p99\nfrom ${from}\nwhere ${since}`,
        }
      : {
          title: 'A counter’s rate per second',
          statement: `select time_bucket(1h, time) as t, rate(value)\nfrom ${metricAsWritten(counter.metric)}\nwhere ${boundOf(counter, now)}\ngroup by t order by t`,
        },
    {
      title: 'Buckets of the time range above',
      statement: `select time_bucket(:width, time) as t, max(value)\nfrom ${from}\nwhere time between :from and :to\ngroup by t order by t`,
    },
  ];
}

/** Gauges with labels come first, because they make the best examples. */
export function byWeight(metrics: readonly MetricDescriptor[]): readonly MetricDescriptor[] {
  const weight = ({ kind, label_keys: keys, last_ts: last }: MetricDescriptor): number =>
    (kind === 'gauge' ? 4 : 0) + (keys.length > 0 ? 2 : 0) + (last === null ? 0 : 1);
  return metrics.toSorted((left, right) => weight(right) - weight(left));
}

/** The last day; if the metric has no samples there, its own last day. */
function boundOf({ last_ts: last }: MetricDescriptor, { unit, nowMs }: ExampleNow): string {
  const day = kDay * perSecond(unit);
  if (last === null || last > tsOfMs(nowMs, unit) - day) return 'time >= now() - 1d';
  return `time >= '${printIso(last - day, unit)}'`;
}
