/** What EXPLAIN says, as the steps of a plan. */

import type { QueryResult } from '../../client/client.js';

export interface PlanStep {
  readonly text: string;
  /** From 1; a step takes what those below it give. */
  readonly level: number;
  /** Null where the plan was not run, or its work is counted with another step. */
  readonly rows: bigint | null;
  readonly ms: number | null;
}

/** Null for what is no plan. */
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
