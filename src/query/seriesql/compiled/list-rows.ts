/**
 * Answers SHOW and a SELECT of labels from the index alone. The addon writes the rows as text; if
 * values are wanted, they are parsed from that text.
 */

import { AppError } from '../../../common/errors/app-error.js';
import { asksForSamples } from '../plan/intervals.js';
import { executionOf } from '../execute/project.js';
import { showColumns } from '../execute/show.js';

import { noteSelection } from './reading.js';
import { cellOf, readTexts, textQuery, type LoweredText } from './row-texts.js';

import type {
  BatchStream,
  ListQuery,
  ReadStats,
  SeriesFilter,
  TextPiece,
  TextQuery,
} from '../../../storage/storage.js';
import type { OutputColumn, PlannedSelection, SelectPlan, ShowPlan } from '../plan/plan.js';
import type { LayoutOf } from '../execute/compiled-engine.js';
import type { Execution, ResultRow, RowLayout, RowTexts } from '../execute/execution.js';
import type { Guard } from '../../limits/guard.js';
import type { QueryRun } from '../execute/run.js';

interface ListStorage {
  openTexts(query: TextQuery): BatchStream<TextPiece>;
}

/** A list query for the addon, without its series. */
export interface LoweredList {
  readonly selection: PlannedSelection;
  readonly what: Pick<ListQuery, 'list' | 'labelKey'>;
  readonly columns: readonly OutputColumn[];
  readonly text: LoweredText;
}

const lists = {
  series: 'series',
  metrics: 'metrics',
  labels: 'labelKeys',
  values: 'labelValues',
} as const;

/** Null if the query must look at samples. */
export function lowerShow(plan: ShowPlan): LoweredList | null {
  if (asksForSamples(plan.intervals)) return null;
  const { what, key, selection, limit } = plan;
  const columns = showColumns(plan);
  const kinds =
    what === 'series' ? (['series_id', 'metric', 'labels'] as const) : ['place' as const];
  return {
    ...{ selection, columns },
    what: { list: lists[what], labelKey: key ?? '' },
    text: {
      cells: kinds.map((kind) => ({ kind, place: 0, label: '' })),
      order: [],
      offset: 0,
      limit: limit === null ? Infinity : Number(limit),
    },
  };
}

/** Null if an item, the order or the filter needs more than the index holds of a series. */
export function lowerLabels(plan: SelectPlan): LoweredList | null {
  const { selection, shape, items, orderBy, filter, limit, offset } = plan;
  if (shape.kind !== 'series' || selection === null || filter !== null) return null;
  if (orderBy.length > 0 || asksForSamples(plan.intervals)) return null;
  const cells = items.map((item) => (item.kind === 'star' ? null : cellOf(item.expr)));
  const known = cells.flatMap((cell) => cell ?? []);
  if (known.length < cells.length) return null;
  return {
    selection,
    columns: executionOf(plan, 0, noRows).columns,
    what: { list: 'series', labelKey: '' },
    text: {
      cells: known,
      order: [],
      offset: Number(offset),
      limit: limit === null ? Infinity : Number(limit),
    },
  };
}

interface ListSeries {
  readonly series: BigUint64Array | SeriesFilter;
  readonly list: LoweredList;
}

interface ListTexts extends ListSeries {
  readonly layoutOf: LayoutOf;
}

/** Throws `series_not_found` if no series matches, unless the target is all series. */
export async function listTexts(
  run: QueryRun,
  storage: ListStorage,
  { series, list, layoutOf }: ListTexts,
): Promise<Execution> {
  const query = { answer: 'list', series, ...list.what } as const;
  const stream = storage.openTexts(textQuery(query, list.text, layoutOf(list.columns)));
  const texts = await readTexts(stream, run.guard, (stats) => {
    noteSelected(run, list, stats);
  });
  run.counters.plannedAt ??= performance.now();
  return { columns: list.columns, rows: noRows(), texts };
}

function noteSelected(
  run: QueryRun,
  { selection, what, text }: LoweredList,
  stats: ReadStats,
): void {
  const count = stats.seriesSelected;
  noteSelection(run.counters, selection, stats);
  if (count === 0 && selection.target.kind !== 'all') {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  // Other lists have at most as many rows as series; the guard counts those as they arrive.
  if (what.list !== 'series') return;
  run.guard.requireRows(Math.min(Math.max(0, count - text.offset), text.limit));
}

/** The same list, with rows as values. */
export async function listRows(
  run: QueryRun,
  storage: ListStorage,
  from: ListSeries,
): Promise<Execution> {
  const { cells } = from.list.text;
  const isId = cells.map(({ kind }) => kind === 'series_id');
  const execution = await listTexts(run, storage, { ...from, layoutOf: () => lineLayout(isId) });
  const { texts } = execution;
  if (texts === undefined) return execution;
  return { columns: execution.columns, rows: rowsOf(run.guard, texts, isId) };
}

/** One JSON array per line. Ids are quoted because a number might not hold them. */
function lineLayout(isId: readonly boolean[]): RowLayout {
  const before = isId.map((one, at) => {
    const end = isId[at - 1] === true ? '"' : '';
    return `${end}${at === 0 ? '[' : ','}${one ? '"' : ''}`;
  });
  return { before, rowEnd: isId.at(-1) === true ? '"]\n' : ']\n', between: '', isCsv: false };
}

const kRowsPerBatch = 128;

async function* rowsOf(
  guard: Guard,
  texts: AsyncIterable<RowTexts>,
  isId: readonly boolean[],
): AsyncGenerator<readonly ResultRow[]> {
  const decoder = new TextDecoder();
  for await (const { text } of texts) {
    const lines = decoder.decode(text).split('\n');
    for (let from = 0; from < lines.length - 1; from += kRowsPerBatch) {
      await guard.breathe();
      const part = lines.slice(from, Math.min(lines.length - 1, from + kRowsPerBatch));
      yield part.map((line) => readRow(line, isId));
    }
  }
}

function readRow(line: string, isId: readonly boolean[]): ResultRow {
  const cells = JSON.parse(line) as readonly (string | null)[];
  return cells.map((cell, at) => (isId[at] === true && cell !== null ? BigInt(cell) : cell));
}

/** Rows of an execution that delivers its rows as text. */
export async function* noRows(): AsyncGenerator<never> {
  // No rows.
}
