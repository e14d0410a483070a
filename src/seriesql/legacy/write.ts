/** INSERT and DELETE. */

import { AppError } from '../../errors/app-error.js';
import { oneBatch, type Execution } from '../execution.js';
import { selectDuring } from '../source.js';

import { inTurns } from './turns.js';

import type { Run } from './scan.js';
import type { DeletePlan, InsertPlan } from '../plan/plan.js';

export async function runInsert(run: Run, plan: InsertPlan): Promise<Execution> {
  const inserted = await run.source.insert(plan.name, plan.labels, plan.samples);
  return countOf('inserted', inserted);
}

export async function runDelete(run: Run, plan: DeletePlan): Promise<Execution> {
  const { source } = run;
  if (source.remove === undefined) {
    throw new AppError('unsupported_statement', 'this server cannot delete samples yet');
  }
  const series = await selectDuring(run.guard, source, plan.selection);
  run.counters.selectedSeriesCount = series.length;
  run.guard.requireSeries(series.length);
  if (series.length === 0) {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  const ids = new BigUint64Array(series.length);
  await inTurns(run.guard, series, ({ id }, at) => (ids[at] = id));
  for (const { start, end } of plan.ranges) await source.remove(ids, start, end);
  return countOf('deleted_series', series.length);
}

function countOf(name: string, count: number): Execution {
  return {
    columns: [{ name, type: 'integer', nullable: false }],
    rows: oneBatch([[BigInt(count)]]),
  };
}
