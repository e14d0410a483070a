/** In which order metrics are listed. */

import type { MetricDescriptor } from '../../client/client.js';

export const metricColumns = ['metric', 'kind', 'unit', 'series', 'seen'] as const;
export type MetricColumn = (typeof metricColumns)[number];

export interface MetricOrder {
  readonly column: MetricColumn;
  readonly isDown: boolean;
}

/** `-seen`: the last written first. Null: it is none. */
export function readOrder(text: string | null): MetricOrder | null {
  const name = text?.replace(/^-/, '');
  const column = metricColumns.find((one) => one === name);
  return column === undefined ? null : { column, isDown: text?.startsWith('-') === true };
}

/** How the address has it. */
export const printOrder = ({ column, isDown }: MetricOrder): string =>
  isDown ? `-${column}` : column;

/** What a click on the head of a column brings: numbers begin with the largest, times with now. */
export function turned(order: MetricOrder, column: MetricColumn): MetricOrder {
  if (order.column === column) return { column, isDown: !order.isDown };
  return { column, isDown: column === 'series' || column === 'seen' };
}

const textOrder = new Intl.Collator('en', { numeric: true });

function compared(one: MetricDescriptor, two: MetricDescriptor, column: MetricColumn): number {
  switch (column) {
    case 'metric':
      return 0;
    case 'kind':
      return textOrder.compare(one.kind, two.kind);
    case 'unit':
      return textOrder.compare(one.unit ?? '', two.unit ?? '');
    case 'series':
      return one.series_count - two.series_count;
    case 'seen':
      return seenOf(one) < seenOf(two) ? -1 : Number(seenOf(one) > seenOf(two));
  }
}

const kNever = -(2n ** 63n);
const seenOf = ({ last_ts: last }: MetricDescriptor): bigint => last ?? kNever;

/** Equals stand by name, whichever way the others do. */
export function inOrder(
  metrics: readonly MetricDescriptor[],
  { column, isDown }: MetricOrder,
): readonly MetricDescriptor[] {
  const sign = isDown ? -1 : 1;
  const nameSign = column === 'metric' ? sign : 1;
  return [...metrics].sort(
    (one, two) =>
      sign * compared(one, two, column) || nameSign * textOrder.compare(one.metric, two.metric),
  );
}
