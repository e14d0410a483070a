/** The ways to make one number of the samples in a time window. */

export const aggregates = ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'] as const;

export type Aggregate = (typeof aggregates)[number];
