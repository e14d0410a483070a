import type { Execution } from './execution.js';
import type { QueryStats } from './query-stats.js';

/** A query whose rows are being read. */
export interface RunningQuery extends Execution {
  /** After the last row: all figures. Before: those known so far. */
  stats(): QueryStats;
  cancel(): void;
}

/** The same query, whose figures say which state of the past it reads. */
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
