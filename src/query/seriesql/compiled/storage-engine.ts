/**
 * The compiled engine: the addon reads, filters and groups; FILL, HAVING, ORDER BY and expressions
 * over groups run here, as in the interpreter, over few rows.
 *
 * The addon answers SHOW and a SELECT of labels from its index. A constant, and expressions over
 * labels, read no samples and run here.
 */

import { Evaluator } from '../plan/evaluate.js';
import { asksForSamples } from '../plan/intervals.js';
import { expandStar } from '../plan/plan.js';
import { filledGroups } from '../execute/fill.js';
import { groupRows } from '../execute/having.js';
import { asStep, stepOf } from '../execute/operators.js';
import { ordered } from '../execute/order.js';
import { executionOf, project } from '../execute/project.js';
import { mustBeOneSeries, requireSeries } from '../execute/require-series.js';
import { resolveSelection, type LabelIndex } from '../execute/resolve-selection.js';
import { newRun, type QueryRun } from '../execute/run.js';
import { namesAllLabels } from '../execute/selection-match.js';
import { constantRows, rowPerSeries } from '../execute/series-rows.js';
import { runShow } from '../execute/show.js';
import { selectDuring } from '../execute/source.js';

import { groupsOfTable } from './group-rows.js';
import {
  listRows,
  listTexts,
  lowerLabels,
  lowerShow,
  noRows,
  type LoweredList,
} from './list-rows.js';
import { lowerFilter } from './lower-filter.js';
import { lowerGroups, type LoweredGroups } from './lower-groups.js';
import { lowerIntervals, lowerSelection } from './lower-selection.js';
import {
  count,
  idsOf,
  limitsOf,
  lowerRead,
  noteReading,
  noteSelection,
  readsLabels,
  readTable,
  type OnRead,
  type ReadingQuestion,
  type GroupRead,
  type CompiledReading,
} from './reading.js';
import { ReadyTexts, type ShortRead } from './ready-texts.js';
import {
  isPrintable,
  lowerGroupText,
  lowerSampleText,
  readTexts,
  textQuery,
  type LoweredText,
} from './row-texts.js';
import { lowerOrder, noOrder, sampleRows, type LoweredOrder } from './sample-rows.js';
import { seriesWithSamples } from './series-with-samples.js';

import type {
  BatchStream,
  ColumnStream,
  GroupQuery,
  PreparedTexts,
  RowQuery,
  SeriesFilter,
  StoredTable,
  TextPiece,
  TextQuery,
} from '../../../storage/storage.js';
import type {
  Interval,
  ReadingPlan,
  PlannedSelection,
  SelectPlan,
  ShowPlan,
} from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type {
  CompiledEngine,
  CompiledQuery,
  FallbackReason,
  LayoutOf,
} from '../execute/compiled-engine.js';
import type { Execution, QueryCounters } from '../execute/execution.js';
import type { GroupedShape } from '../execute/groups.js';
import type { Guard } from '../../limits/guard.js';
import type { SeriesSource } from '../execute/source.js';

/** The storage functions that this engine needs. */
interface QueryStorage extends LabelIndex {
  openGroups(query: GroupQuery): BatchStream<StoredTable>;
  openRows(query: RowQuery): ColumnStream;
  openTexts(query: TextQuery): BatchStream<TextPiece>;
  prepareTexts(query: TextQuery): PreparedTexts;
}

/** A grouped plan, lowered for the addon. */
interface GroupReading extends CompiledReading {
  readonly ready: ReadyTexts;
  readonly shape: GroupedShape;
  readonly groups: LoweredGroups;
}

/** Raw rows, lowered for the addon. A null `order`: the rows are ordered here. */
interface Ordering extends CompiledReading {
  readonly ready: ReadyTexts;
  readonly order: LoweredOrder | null;
}

/** Everything that follows from a plan except its reads. */
type Fixed<How extends CompiledReading> = Omit<How, keyof ReturnType<typeof readBy>>;

interface TextPrinting {
  readonly text: LoweredText;
  readonly layoutOf: LayoutOf;
}

export class StorageQueryEngine implements CompiledEngine {
  readonly #storage: QueryStorage;
  readonly #source: SeriesSource;
  readonly #evaluator: Evaluator;

  constructor(storage: QueryStorage, source: SeriesSource) {
    this.#storage = storage;
    this.#source = source;
    this.#evaluator = new Evaluator(source.unit, source.math);
  }

  tryCompile(plan: SelectPlan | ShowPlan): CompiledQuery | FallbackReason {
    const list = plan.kind === 'show' ? lowerShow(plan) : lowerLabels(plan);
    if (list !== null) return this.#listed(list);
    return plan.kind === 'show' ? this.#shown(plan) : this.#compile(plan);
  }

  #compile(plan: SelectPlan): CompiledQuery | FallbackReason {
    const { selection, shape } = plan;
    if (selection === null || shape.kind === 'constant') return this.#unread(plan);
    if (shape.kind === 'series') return this.#unread(plan);
    const reading = { ...plan, selection };
    if (plan.limit === 0n) return this.#empty(reading);
    const filter = lowerFilter(plan.filter, this.#source.unit);
    if (filter === null) return 'unsupported_predicate';
    if (shape.kind === 'raw') {
      if (shape.windows.length > 0) return 'unsupported_function';
      const order = lowerOrder(plan, this.#source.unit);
      // For such an order, the interpreter holds only the first rows instead of all.
      if (plan.limit !== null && order === null) return 'unsupported_ordering';
      const { expressions } = order ?? noOrder;
      const read = { filter, expressions, keyValues: null, keyColumns: [] };
      return this.#ofRows(reading, { ...read, order, ready: new ReadyTexts(this.#storage) });
    }
    const groups = lowerGroups(plan, shape, this.#source.unit);
    if (typeof groups === 'string') return groups;
    const { expressions, keyValues, keyColumns } = groups;
    const text = lowerGroupText(plan, shape, groups.keys);
    const ready = new ReadyTexts(this.#storage);
    const how = { shape, groups, filter, expressions, keyValues, keyColumns, ready };
    return this.#ofGroups(reading, how, text);
  }

  #ofRows(plan: ReadingPlan, lowered: Fixed<Ordering>): CompiledQuery {
    const how = { ...lowered, ...readBy(plan) };
    const isText = how.order !== null && plan.items.every(isPrintable);
    return {
      run: (guard, counters) => this.#rows(this.#run(guard, counters), plan, how),
      reading: (other) => this.#ofRows(other, lowered),
      ...(isText
        ? {
            runAsText: (guard, counters, layoutOf) =>
              this.#rowTexts(this.#run(guard, counters), plan, { layoutOf, ...how }),
            ...offeredNow(lowered),
          }
        : {}),
    };
  }

  #ofGroups(
    plan: ReadingPlan,
    lowered: Fixed<GroupReading>,
    text: LoweredText | null,
  ): CompiledQuery {
    const how = { ...lowered, ...readBy(plan) };
    return {
      run: (guard, counters) => this.#groups(this.#run(guard, counters), plan, how),
      reading: (other) => this.#ofGroups(other, lowered, text),
      ...(text === null
        ? {}
        : {
            runAsText: (guard, counters, layoutOf) =>
              this.#groupTexts(this.#run(guard, counters), plan, { text, layoutOf, ...how }),
            ...offeredNow(lowered),
          }),
    };
  }

  #run(guard: Guard, counters: QueryCounters): QueryRun {
    return newRun({ source: this.#source, evaluator: this.#evaluator, guard, counters });
  }

  #listed(list: LoweredList): CompiledQuery {
    const { selection } = list;
    const filter = lowerSelection(selection);
    const seriesOf = async (run: QueryRun): Promise<BigUint64Array | SeriesFilter> =>
      filter ??
      (await resolveSelection(run, this.#storage, selection)) ??
      idsOf(run, await this.#find(run, selection));
    return {
      run: async (guard, counters) => {
        const run = this.#run(guard, counters);
        return asStep(counters.operators, 'select series', {
          work: async () => listRows(run, this.#storage, { series: await seriesOf(run), list }),
          rowsOf: () => counters.selectedSeriesCount,
        });
      },
      runAsText: async (guard, counters, layoutOf) => {
        const run = this.#run(guard, counters);
        const from = { series: await seriesOf(run), list, layoutOf };
        return listTexts(run, this.#storage, from);
      },
    };
  }

  #unread(plan: SelectPlan): CompiledQuery {
    return {
      run: async (guard, counters) => {
        const run = this.#run(guard, counters);
        const all = plan.selection === null ? [] : await this.#find(run, plan.selection);
        if (plan.selection !== null) requireSeries(plan, all.length);
        run.counters.plannedAt = performance.now();
        const { intervals } = plan;
        if (!asksForSamples(intervals)) return unreadRows(run, plan, all);
        guard.requireSeries(all.length);
        return unreadRows(run, plan, await this.#withSamples(run, intervals, all));
      },
    };
  }

  /** LIMIT 0 asks only for the columns. Series must exist, but none is read. */
  #empty(plan: ReadingPlan): CompiledQuery {
    const run = async (guard: Guard, counters: QueryCounters): Promise<Execution> => {
      const all = await this.#seriesOf(this.#run(guard, counters), plan);
      counters.plannedAt = performance.now();
      return executionOf(plan, all.length, () => noRows());
    };
    return {
      run,
      runAsText: async (guard, counters) => ({ texts: noRows(), ...(await run(guard, counters)) }),
    };
  }

  /** SHOW with a condition on time. */
  #shown(plan: ShowPlan): CompiledQuery {
    return {
      run: (guard, counters) => {
        const run = this.#run(guard, counters);
        return runShow(run, plan, (all) => this.#withSamples(run, plan.intervals, all));
      },
    };
  }

  #withSamples(
    run: QueryRun,
    intervals: readonly Interval[],
    all: readonly SeriesInfo[],
  ): Promise<readonly SeriesInfo[]> {
    return asStep(run.counters.operators, 'scan', {
      work: () => seriesWithSamples(run, this.#storage, { intervals, all }),
      // The scan counts rows when it reads them.
      rowsOf: () => 0,
    });
  }

  async #find(run: QueryRun, selection: PlannedSelection): Promise<readonly SeriesInfo[]> {
    const all = await asStep(run.counters.operators, 'select series', {
      work: () => selectDuring(run.guard, this.#source, selection),
      rowsOf: ({ length }) => length,
    });
    run.counters.selectedSeriesCount = all.length;
    run.counters.isExact = namesAllLabels(selection, all);
    return all;
  }

  /** The series of a selection, as objects, for a test or value per series. */
  async #seriesOf(run: QueryRun, plan: ReadingPlan): Promise<readonly SeriesInfo[]> {
    const all = await this.#find(run, plan.selection);
    run.guard.requireSeries(all.length);
    requireSeries(plan, all.length);
    return all;
  }

  async #groups(run: QueryRun, plan: ReadingPlan, how: GroupReading): Promise<Execution> {
    const { read, isIndexed, texts, note } = await this.#question(run, plan, how);
    const { operators } = run.counters;
    const stream = this.#storage.openGroups(groupQuery(read, how));
    const onRead: OnRead = (stats, askedAt) => {
      note(stats, askedAt);
      operators?.attribute('select series', {
        rowsOut: isIndexed ? stats.seriesSelected : 0,
        elapsedMs: stats.selectMs,
      });
    };
    const table = await asStep(operators, 'group', {
      work: () => readTable(stream, run.guard, onRead),
      rowsOf: (found) => found?.rowCount ?? 0,
    });
    const { shape } = how;
    const known = table ?? { rowCount: 0, columns: [] };
    const groups = await groupsOfTable(run, known, { shape, texts });
    const filled = shape.fill === null ? groups : await filledGroups(run, plan, { shape, groups });
    return executionOf(plan, 0, (columns) => groupRows(run, plan, { columns, groups: filled }));
  }

  async #groupTexts(
    run: QueryRun,
    plan: ReadingPlan,
    how: GroupReading & TextPrinting,
  ): Promise<Execution> {
    const { read, note, isIndexed } = await this.#question(run, plan, how);
    const execution = executionOf(plan, 0, () => noRows());
    const { columns } = execution;
    const query = textQuery(groupQuery(read, how), how.text, how.layoutOf(columns));
    const stream = this.#storage.openTexts(query);
    const texts = await readTexts(stream, run.guard, note);
    if (isIndexed && how.series !== null) how.ready.noteAsked(how.layoutOf, query, columns);
    return { texts, ...execution };
  }

  async #rows(run: QueryRun, plan: ReadingPlan, how: Ordering): Promise<Execution> {
    const all = await this.#seriesOf(run, plan);
    const { read } = await lowerRead(run, how, all);
    const stream = this.#storage.openRows(rowQuery(plan, read, how));
    run.counters.plannedAt = performance.now();
    return sampleRows(run, plan, { all, stream, count, isOrdered: how.order !== null });
  }

  async #rowTexts(
    run: QueryRun,
    plan: ReadingPlan,
    how: Ordering & { readonly layoutOf: LayoutOf },
  ): Promise<Execution> {
    // The columns of `*` depend on the number of series.
    const hasStar = plan.items.some(({ kind }) => kind === 'star');
    const known = hasStar ? await this.#seriesOf(run, plan) : null;
    const { read, note, isIndexed } =
      known === null
        ? await this.#question(run, plan, how)
        : { ...(await lowerRead(run, how, known)), isIndexed: false, note: noteReading(run) };
    const seriesCount = known?.length ?? 0;
    const execution = executionOf(plan, seriesCount, () => noRows());
    const text = lowerSampleText(expandStar(plan, seriesCount));
    const { columns } = execution;
    const query = textQuery(rowQuery(plan, read, how), text, how.layoutOf(columns));
    const stream = this.#storage.openTexts(query);
    const onRead: OnRead = (stats, askedAt) => {
      requireSeries(plan, stats.seriesSelected);
      note(stats, askedAt);
    };
    const texts = await readTexts(stream, run.guard, onRead);
    if (isIndexed && how.series !== null) how.ready.noteAsked(how.layoutOf, query, columns);
    return { texts, ...execution };
  }

  /** Selects the series by the index if it can, otherwise one by one. */
  async #question(
    run: QueryRun,
    plan: ReadingPlan,
    how: CompiledReading,
  ): Promise<ReadingQuestion> {
    const { selection } = plan;
    const found = readsLabels(how)
      ? null
      : (how.series ?? (await resolveSelection(run, this.#storage, selection)));
    if (found === null) {
      const bound = await lowerRead(run, how, await this.#seriesOf(run, plan));
      return { ...bound, isIndexed: false, note: noteReading(run) };
    }
    const noteRead = noteReading(run);
    const note: OnRead = (stats, askedAt) => {
      noteRead(stats, askedAt);
      noteSelection(run.counters, selection, stats);
    };
    const { read, texts } = await lowerRead(run, how, []);
    return { read: { ...read, series: found }, texts, isIndexed: true, note };
  }
}

/** Answers from prepared texts. A query that computes a value per sample is never short. */
function offeredNow(
  how: Fixed<CompiledReading> & { ready: ReadyTexts },
): Pick<CompiledQuery, 'answerNow'> {
  const { filter, expressions, keyValues, keyColumns, ready } = how;
  const isComputed = [filter.condition, expressions, keyValues].some((one) => one !== null);
  if (isComputed || keyColumns.length > 0) return {};
  return {
    answerNow: (plan, { guard, counters, as }) => {
      const askedAt = performance.now();
      const found = ready.answer(as, () => shortRead(plan, guard));
      if (found === null) return null;
      const { columns, texts } = found;
      const { text, rowCount, stats } = texts;
      guard.requireRows(rowCount);
      if (plan.shape.kind === 'raw') requireSeries(plan, stats.seriesSelected);
      noteReading({ counters })(stats, askedAt);
      noteSelection(counters, plan.selection, stats);
      return { columns, text, rowCount };
    },
  };
}

/** Null if a part of the selection must still be resolved. */
function shortRead(plan: ReadingPlan, guard: Guard): ShortRead | null {
  const { series, ranges } = readBy(plan);
  return series === null ? null : { series, ranges, limits: limitsOf(guard) };
}

/** The selection and times, lowered for the addon. */
function readBy({ selection, intervals }: ReadingPlan): Pick<CompiledReading, 'series' | 'ranges'> {
  return { series: lowerSelection(selection), ranges: lowerIntervals(intervals) };
}

/** A constant row, or one row per series. */
function unreadRows(run: QueryRun, plan: SelectPlan, kept: readonly SeriesInfo[]): Execution {
  const rows =
    plan.shape.kind === 'series'
      ? stepOf(run.counters.operators, 'scan', rowPerSeries(run, kept))
      : constantRows(run, plan);
  return executionOf(plan, kept.length, (columns) =>
    project(run, columns, ordered(run, plan, rows)),
  );
}

function rowQuery(plan: SelectPlan, read: GroupRead, { order }: Ordering): RowQuery {
  const isOfOneSeries = mustBeOneSeries(plan);
  return { answer: 'rows', ...read, ...(order ?? noOrder).cut, isOfOneSeries };
}

function groupQuery(read: GroupRead, { groups }: GroupReading): GroupQuery {
  return { answer: 'groups', ...groups, ...read };
}
