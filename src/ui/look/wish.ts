/** The options of a chart, parsed from the address. */

import { rankings, type Ranking } from '../chart-statements.js';
import { readFilter, type Condition } from '../series-filter.js';
import { valueIn, type PagePlace } from '../url.js';

import type { ValueScale } from '../chart/value-axis.js';

export interface LookWish {
  readonly metric: string;
  readonly conditions: readonly Condition[];
  /** True if the filter does not parse; it is then ignored. */
  readonly isFilterBad: boolean;
  readonly by: string | null;
  readonly lines: number;
  readonly order: Ranking;
  readonly only: readonly string[] | null;
  readonly hidden: ReadonlySet<string>;
  readonly scale: ValueScale;
}

/** Lines drawn at once, as many as can be told apart. */
const kLines = 20;

export const orderWords: Readonly<Record<Ranking, string>> = {
  hi: 'max',
  lo: 'min',
  mean: 'avg',
  latest: 'last',
  n: 'samples',
};

/** The largest growth is unknown for lines that are not drawn, so counters use the mean. */
export const knownOrder = (order: Ranking, kind: string): Ranking =>
  kind === 'counter' && (order === 'hi' || order === 'lo') ? 'mean' : order;

export function wishOf(place: PagePlace): LookWish {
  const text = valueIn(place, 'w') ?? '{}';
  const conditions = readFilter(text);
  const sort = valueIn(place, 'sort');
  return {
    metric: valueIn(place, 'm') ?? '',
    conditions: conditions ?? [],
    isFilterBad: conditions === null,
    by: valueIn(place, 'by'),
    lines: Number(valueIn(place, 'n') ?? kLines),
    order: rankings.find((one) => one === sort) ?? 'hi',
    only: valueIn(place, 'only')?.split(',') ?? null,
    hidden: new Set(valueIn(place, 'hide')?.split(',') ?? []),
    // `valueIn` accepts only valid scales from the address.
    scale: valueIn(place, 'y') as ValueScale,
  };
}
