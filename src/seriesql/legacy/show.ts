/** SHOW: what there is, from the series of a selection. */

import { AppError } from '../../errors/app-error.js';
import { labelsText } from '../evaluate.js';
import { oneBatch, type Execution, type ResultRow } from '../execution.js';
import { asksForSamples } from '../plan/intervals.js';
import { labelOf } from '../selection-match.js';
import { compareText } from '../value.js';

import { seriesWithSamples } from './select.js';

import type { Run } from './scan.js';
import type { OutputColumn, ShowPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../source.js';

export async function interpretShow(run: Run, plan: ShowPlan): Promise<Execution> {
  const readsSamples = asksForSamples(plan.intervals);
  if (plan.what === 'metrics' && !readsSamples) {
    const metrics = (await run.source.selectMetrics?.(plan.selection)) ?? null;
    if (metrics !== null) {
      requireSome(run, plan, metrics.seriesCount);
      return answer(run, plan, distinct(metrics.names));
    }
  }
  const selected = await run.source.select(plan.selection);
  requireSome(run, plan, selected.length);
  if (readsSamples) run.guard.requireSeries(selected.length);
  const all = readsSamples ? await seriesWithSamples(run, plan.intervals, selected) : selected;
  return answer(run, plan, rowsOf(plan, all));
}

function requireSome(run: Run, { selection }: ShowPlan, count: number): void {
  run.counters.selectedSeriesCount = count;
  if (count === 0 && selection.target.kind !== 'all') {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
}

function answer(run: Run, plan: ShowPlan, rows: readonly ResultRow[]): Execution {
  const kept = plan.limit === null ? rows : rows.slice(0, Number(plan.limit));
  run.guard.requireRows(kept.length);
  return { columns: columnsOf(plan), rows: oneBatch(kept) };
}

function columnsOf({ what }: ShowPlan): readonly OutputColumn[] {
  const text = (name: string): OutputColumn => ({ name, type: 'string', nullable: false });
  switch (what) {
    case 'metrics':
      return [text('metric')];
    case 'labels':
      return [text('label')];
    case 'values':
      return [text('value')];
    case 'series':
      return [
        { name: 'series_id', type: 'integer', nullable: false },
        text('metric'),
        text('labels'),
      ];
  }
}

function rowsOf({ what, key }: ShowPlan, all: readonly SeriesInfo[]): readonly ResultRow[] {
  switch (what) {
    case 'metrics':
      return distinct(all.map(({ name }) => name));
    case 'labels':
      return distinct(all.flatMap(({ labels }) => labels.map(([name]) => name)));
    case 'values':
      return distinct(all.flatMap((series) => labelOf(series, key ?? '') ?? []));
    case 'series':
      return all.map((series) => [series.id, series.name, labelsText(series)]);
  }
}

function distinct(texts: readonly string[]): readonly ResultRow[] {
  return [...new Set(texts)].sort(compareText).map((text) => [text]);
}
