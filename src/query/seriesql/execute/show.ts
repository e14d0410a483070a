/** SHOW: lists the series, metrics or labels of a selection. */

import { AppError } from '../../../common/errors/app-error.js';
import { compareText } from '../../values/value.js';
import { asksForSamples } from '../plan/intervals.js';
import { labelsText } from '../plan/series.js';
import { labelOf } from '../plan/series.js';

import { oneBatch, type Execution, type ResultRow } from './execution.js';
import { namesAllLabels } from './selection-match.js';
import { selectDuring } from './source.js';
import { sortInTurns } from '../../limits/turns.js';

import type { OutputColumn, ShowPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from './run.js';

const kSeriesPerTurn = 256;

/** `withSamples` returns the given series that have a sample at the times of the plan. */
export async function runShow(
  run: QueryRun,
  plan: ShowPlan,
  withSamples: (all: readonly SeriesInfo[]) => Promise<readonly SeriesInfo[]>,
): Promise<Execution> {
  const { selection, intervals, limit } = plan;
  const selected = await selectDuring(run.guard, run.source, selection);
  run.counters.selectedSeriesCount = selected.length;
  run.counters.isExact = namesAllLabels(selection, selected);
  if (selected.length === 0 && selection.target.kind !== 'all') {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  const readsSamples = asksForSamples(intervals);
  if (readsSamples) run.guard.requireSeries(selected.length);
  const all = readsSamples ? await withSamples(selected) : selected;
  const rows = await rowsOf(run, plan, all);
  const kept = limit === null ? rows : rows.slice(0, Number(limit));
  run.guard.requireRows(kept.length);
  return { columns: showColumns(plan), rows: oneBatch(kept) };
}

export function showColumns({ what }: ShowPlan): readonly OutputColumn[] {
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

async function rowsOf(
  run: QueryRun,
  { what, key }: ShowPlan,
  all: readonly SeriesInfo[],
): Promise<readonly ResultRow[]> {
  if (what === 'series') {
    const rows: ResultRow[] = [];
    for await (const series of inTurns(run, all)) {
      const labels = labelsText(series);
      run.guard.texts.hold(labels.length);
      rows.push([series.id, series.name, labels]);
    }
    return rows;
  }
  const texts = new Set<string>();
  for await (const series of inTurns(run, all)) {
    for (const text of textsOf(series, what, key ?? '')) texts.add(text);
  }
  const sorted = await sortInTurns(run.guard, [...texts], compareText);
  return sorted.map((text) => [text]);
}

function textsOf(
  series: SeriesInfo,
  what: 'metrics' | 'labels' | 'values',
  key: string,
): readonly string[] {
  switch (what) {
    case 'metrics':
      return [series.name];
    case 'labels':
      return series.labels.map(([name]) => name);
    case 'values': {
      const value = labelOf(series, key);
      return value === null ? [] : [value];
    }
  }
}

/** One by one, so that other work gets its turn. */
async function* inTurns(run: QueryRun, all: readonly SeriesInfo[]): AsyncGenerator<SeriesInfo> {
  for (const [at, series] of all.entries()) {
    if (at % kSeriesPerTurn === 0 || run.guard.isTextDue) await run.guard.breathe();
    yield series;
  }
}
