import type { Execution } from './execution.js';
import type { QueryStats } from './query-stats.js';

/** A query whose rows are being read. */
export interface RunningQuery extends Execution {
  /** All figures after the last row; before it, those known so far. */
  stats(): QueryStats;
  cancel(): void;
}

/** The same query. Its figures name the state of the past that it reads. */
export function withNote(query: RunningQuery, note = ''): RunningQuery {
  if (note === '') return query;
  const { columns, rows, texts } = query;
  return {
    ...(texts === undefined ? { columns, rows } : { columns, rows, texts }),
    stats: () => ({ ...query.stats(), as_of: note }),
    cancel: () => {
      query.cancel();
    },
  };
}
