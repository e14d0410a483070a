/** The answer of EXPLAIN as the steps of a plan. */

import type { QueryResult } from '../../client/client.js';

export interface PlanStep {
  readonly text: string;
  /** The depth, from 1; a step consumes the rows of the steps below it. */
  readonly level: number;
  /** Null if the plan was not run, or if another step counts this work. */
  readonly rows: bigint | null;
  readonly ms: number | null;
}

/** Null if the answer is not a plan. */
export function planOf({ columns, rows }: QueryResult): readonly PlanStep[] | null {
  if (columns[0]?.name !== 'plan' || columns[0].type !== 'string') return null;
  return rows.map(([line, count, ms]) => {
    const text = String(line);
    const depth = (text.length - text.trimStart().length) / 2;
    return {
      ...{ text: text.trim(), level: depth + 1 },
      rows: typeof count === 'bigint' ? count : null,
      ms: typeof ms === 'number' ? ms : null,
    };
  });
}
