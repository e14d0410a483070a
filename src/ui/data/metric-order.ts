/** The order of the list of metrics. */

import type { MetricDescriptor } from '../../client/client.js';

export const metricColumns = ['metric', 'kind', 'unit', 'series', 'seen'] as const;
export type MetricColumn = (typeof metricColumns)[number];

export interface MetricOrder {
  readonly column: MetricColumn;
  readonly isDown: boolean;
}

/** Reads an order such as `-seen`, the last written first. Null: not an order. */
export function readOrder(text: string | null): MetricOrder | null {
  const name = text?.replace(/^-/, '');
  const column = metricColumns.find((one) => one === name);
  return column === undefined ? null : { column, isDown: text?.startsWith('-') === true };
}

/** As the address has it. */
export const printOrder = ({ column, isDown }: MetricOrder): string =>
  isDown ? `-${column}` : column;

/** The order after a click on a column: numbers start with the largest, times with the newest. */
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

/** Ties are sorted by name, ascending in either direction of the order. */
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
