/** Aggregates that reduce the samples of a time window to one number. */

export const aggregates = ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'] as const;

export type RangeAggregate = (typeof aggregates)[number];
