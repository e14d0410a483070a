/** Example expressions over the metrics of the database. */

import { byWeight, type Example } from '../ask/example-statements.js';
import { metricAsWritten } from './suggestions.js';

import type { MetricDescriptor } from '../../client/client.js';

export function examplesFor(metrics: readonly MetricDescriptor[]): readonly Example[] {
  const [first] = byWeight(metrics);
  if (first === undefined) return [{ title: 'A first answer', statement: '1 + 1' }];
  const name = metricAsWritten(first.metric);
  const key = first.label_keys.find((one) => /^[A-Za-z_]\w*$/.test(one));
  const counter = byWeight(metrics).find(({ kind }) => kind === 'counter');
  return [
    { title: 'Newest values', statement: name },
    { title: 'The largest five', statement: `topk(5, ${name})` },
    { title: 'A moving average', statement: `avg_over_time(${name}[1h])` },
    key === undefined
      ? { title: 'Sum of all', statement: `sum(${name})` }
      : { title: `Compared by ${key}`, statement: `avg by (${key}) (${name})` },
    counter === undefined
      ? { title: 'Change over time', statement: `delta(${name}[1h])` }
      : {
          title: 'A counter’s rate per second',
          statement: `rate(${metricAsWritten(counter.metric)}[5m])`,
        },
    { title: 'An hour earlier', statement: `${name} offset 1h` },
  ];
}
