/** INSERT and DELETE. */

import { AppError } from '../../../common/errors/app-error.js';
import { oneBatch, type Execution } from '../execute/execution.js';

import type { DeletePlan, InsertPlan } from '../plan/plan.js';
import type { QueryRun } from '../execute/run.js';

export async function runInsert(run: QueryRun, plan: InsertPlan): Promise<Execution> {
  const inserted = await run.source.insert(plan.name, plan.labels, plan.samples);
  return countOf('inserted', inserted);
}

export async function runDelete(run: QueryRun, plan: DeletePlan): Promise<Execution> {
  const { source } = run;
  if (source.remove === undefined) {
    throw new AppError('unsupported_statement', 'this server cannot delete samples yet');
  }
  const count = await source.remove(plan, run.guard);
  run.counters.selectedSeriesCount = count;
  if (count === 0) throw new AppError('series_not_found', 'the selector matches no series');
  return countOf('deleted_series', count);
}

function countOf(name: string, count: number): Execution {
  return {
    columns: [{ name, type: 'integer', nullable: false }],
    rows: oneBatch([[BigInt(count)]]),
  };
}
