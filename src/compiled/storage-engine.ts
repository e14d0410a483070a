/**
 * The compiled engine: what a SELECT reads, filters and groups runs in the addon; what is left
 * (FILL, HAVING, order and expressions over groups) is the interpreter's, over few rows.
 *
 * A SELECT without samples (constants, labels alone) has nothing that the addon could do quicker,
 * and runs as the interpreter runs it.
 */

import { AppError } from '../errors/app-error.js';
import { Evaluator } from '../seriesql/evaluate.js';
import { nanosecondsPerUnit } from '../seriesql/language/time-literal.js';
import { filledGroups } from '../seriesql/legacy/group.js';
import { executionOf, groupRows, interpretSelect } from '../seriesql/legacy/select.js';
import { asStep, stepOf } from '../seriesql/operators.js';
import { asksForSamples } from '../seriesql/plan/intervals.js';
import { namesAllLabels, requireSeries } from '../seriesql/run-query.js';

import { groupsOfTable, readersOf } from './group-rows.js';
import { lowerFilter } from './lower-filter.js';
import { lowerGroups, type LoweredGroups } from './lower-groups.js';
import { lowerIntervals, lowerSelection, pinnedLabels } from './lower-selection.js';
import { joinRows, tableCell } from './row-texts.js';
import { resolveSelection, type LabelIndex } from './resolve-selection.js';
import { isByTime, lowerOrder, sampleRows } from './sample-rows.js';

import type { CompiledEngine, CompiledQuery, FallbackReason } from '../seriesql/compiled.js';
import type { Execution, QueryCounters, ResultRow, RowTexts } from '../seriesql/execution.js';
import type { Guard } from '../seriesql/guard.js';
import type { GroupedShape } from '../seriesql/legacy/group.js';
import type { Run } from '../seriesql/legacy/scan.js';
import type { Selection, SelectPlan } from '../seriesql/plan/plan.js';
import type { SeriesInfo, SeriesSource } from '../seriesql/source.js';
import type {
  BatchStream,
  ColumnStream,
  FilterStep,
  GroupQuery,
  ReadStats,
  RowQuery,
  Table,
} from '../storage/storage.js';

/** What of a storage this engine needs. */
export interface QueryStorage extends LabelIndex {
  openGroups(query: GroupQuery): BatchStream<Table>;
  openRows(query: RowQuery): ColumnStream;
}

/** A plan with a selection. */
type ReadingPlan = SelectPlan & { readonly selection: Selection };

export class StorageQueryEngine implements CompiledEngine {
  readonly #storage: QueryStorage;
  readonly #source: SeriesSource;
  readonly #evaluator: Evaluator;

  constructor(storage: QueryStorage, source: SeriesSource) {
    this.#storage = storage;
    this.#source = source;
    this.#evaluator = new Evaluator(source.unit);
  }

  tryCompile(plan: SelectPlan): CompiledQuery | FallbackReason {
    const { selection, shape } = plan;
    if (selection === null || shape.kind === 'constant') return this.#interpreted(plan);
    if (shape.kind === 'series') {
      if (asksForSamples(plan.intervals)) return 'unsupported_predicate';
      return this.#interpreted(plan);
    }
    const filter = lowerFilter(plan.filter);
    if (filter === null) return 'unsupported_predicate';
    const reading = { ...plan, selection };
    if (shape.kind === 'raw') {
      if (shape.windows.length > 0) return 'unsupported_function';
      // The interpreter holds only the first rows of such an order, and not all of them.
      if (plan.limit !== null && !isByTime(plan)) return 'unsupported_ordering';
      return { run: (guard, counters) => this.#rows(this.#run(guard, counters), reading, filter) };
    }
    const groups = lowerGroups(plan, shape);
    if (typeof groups === 'string') return groups;
    const how = { shape, groups, filter };
    return { run: (guard, counters) => this.#groups(this.#run(guard, counters), reading, how) };
  }

  #run(guard: Guard, counters: QueryCounters): Run {
    const { unit } = this.#source;
    const unitsPerSecond = 1_000_000_000 / Number(nanosecondsPerUnit[unit]);
    const evaluator = this.#evaluator;
    return { source: this.#source, evaluator, guard, counters, unitsPerSecond };
  }

  #interpreted(plan: SelectPlan): CompiledQuery {
    return {
      run: async (guard, counters) => {
        const run = this.#run(guard, counters);
        const all = plan.selection === null ? [] : await this.#select(run, plan.selection);
        if (plan.selection !== null) requireSeries(plan, all);
        run.counters.plannedAt = performance.now();
        return interpretSelect(run, plan, all);
      },
    };
  }

  async #select(run: Run, selection: Selection): Promise<readonly SeriesInfo[]> {
    const all = await asStep(run.counters.operators, 'select series', {
      work: () => this.#source.select(selection),
      rowsOf: ({ length }) => length,
    });
    run.counters.selectedSeriesCount = all.length;
    run.guard.requireSeries(all.length);
    run.counters.isExact = namesAllLabels(selection, all);
    return all;
  }

  /** Of a selection that must be asked of each series. */
  async #idsOf(run: Run, plan: ReadingPlan): Promise<BigUint64Array> {
    const all = await this.#select(run, plan.selection);
    requireSeries(plan, all);
    return BigUint64Array.from(all.map(({ id }) => id));
  }

  async #groups(
    run: Run,
    plan: ReadingPlan,
    how: {
      readonly shape: GroupedShape;
      readonly groups: LoweredGroups;
      readonly filter: readonly FilterStep[];
    },
  ): Promise<Execution> {
    const { shape, groups, filter } = how;
    const found =
      lowerSelection(plan.selection) ??
      (await resolveSelection(run, this.#storage, plan.selection));
    const isIndexed = found !== null;
    const series = found ?? (await this.#idsOf(run, plan));
    const ranges = lowerIntervals(plan.intervals);
    const limits = limitsOf(run.guard);
    const query = { answer: 'groups', series, ranges, limits, filter, ...groups } as const;
    const { operators } = run.counters;
    const stream = await asStep(operators, 'select series', {
      work: () => Promise.resolve(this.#storage.openGroups(query)),
      rowsOf: (opened) => (isIndexed ? opened.stats().seriesSelected : 0),
    });
    run.counters.plannedAt = performance.now();
    const { batch: table, stats } = await asStep(operators, 'group', {
      work: () => readAll(stream, run.guard),
      rowsOf: ({ batch }) => batch?.rowCount ?? 0,
    });
    count(run.counters, stats);
    if (isIndexed) {
      run.counters.selectedSeriesCount = stats.seriesSelected;
      run.counters.isExact =
        stats.seriesSelected === 1 &&
        stats.labelCount > 0 &&
        pinnedLabels(plan.selection) === stats.labelCount;
    }
    return this.#finish(run, plan, { shape, table });
  }

  async #finish(
    run: Run,
    plan: SelectPlan,
    { shape, table }: { readonly shape: GroupedShape; readonly table: Table | null },
  ): Promise<Execution> {
    const known = table ?? { rowCount: 0, columns: [] };
    const direct = directRows(plan, shape, known);
    if (direct !== null) {
      const rows = stepOf(run.counters.operators, 'project', direct.rows);
      return { ...executionOf(plan, 0, () => rows), texts: direct.texts };
    }
    const { unit } = run.source;
    const groups = groupsOfTable(known, shape, unit);
    const filled = shape.fill === null ? groups : await filledGroups(run, plan, { shape, groups });
    return executionOf(plan, 0, (columns) => groupRows(run, plan, { columns, groups: filled }));
  }

  async #rows(run: Run, plan: ReadingPlan, filter: readonly FilterStep[]): Promise<Execution> {
    const all = await this.#select(run, plan.selection);
    requireSeries(plan, all);
    const stream = this.#storage.openRows({
      answer: 'rows',
      series: BigUint64Array.from(all.map(({ id }) => id)),
      ranges: lowerIntervals(plan.intervals),
      limits: limitsOf(run.guard),
      filter,
      ...lowerOrder(plan),
    });
    run.counters.plannedAt = performance.now();
    return sampleRows(run, plan, { all, stream, count });
  }
}

/** Rows straight from the table, where nothing is left to compute. */
function directRows(
  plan: SelectPlan,
  shape: GroupedShape,
  table: Table,
): {
  readonly rows: AsyncGenerator<readonly ResultRow[]>;
  readonly texts: AsyncGenerator<RowTexts>;
} | null {
  const { items, having, orderBy, limit, offset } = plan;
  if (having !== null || orderBy.length > 0 || shape.fill !== null || table.rowCount === 0) {
    return null;
  }
  const readers = readersOf(table, shape);
  const columns = items.flatMap((item) => {
    const expr = item.kind === 'star' ? null : item.expr;
    const aggregateAt = expr?.kind === 'aggregate' ? shape.keys.length + expr.index : -1;
    const at = expr?.kind === 'key' ? expr.index : aggregateAt;
    const read = readers[at];
    return read === undefined ? [] : [{ read, cell: tableCell(table.columns[at], read) }];
  });
  if (columns.length < items.length) return null;
  const from = Number(offset);
  const to = limit === null ? table.rowCount : Math.min(table.rowCount, from + Number(limit));
  const reads = columns.map(({ read }) => read);
  const cells = columns.map(({ cell }) => cell);
  return {
    rows: batchesBetween(from, to, (start, end) =>
      Array.from({ length: end - start }, (_, at) => reads.map((read) => read(start + at))),
    ),
    texts: batchesBetween(from, to, (start, end) => joinRows(cells, start, end)),
  };
}

const kRowsPerBatch = 1024;

async function* batchesBetween<Batch>(
  from: number,
  to: number,
  make: (start: number, end: number) => Batch,
): AsyncGenerator<Batch> {
  for (let start = from; start < to; start += kRowsPerBatch) {
    if (start > from) await new Promise((resolve) => setImmediate(resolve));
    yield make(start, Math.min(to, start + kRowsPerBatch));
  }
}

function limitsOf({ limits }: Guard): GroupQuery['limits'] {
  return {
    series: limits.maxSeries,
    samples: limits.maxSamples,
    rows: limits.maxRows,
    timeoutMs: limits.timeoutMs,
  };
}

async function readAll<Batch>(
  stream: BatchStream<Batch>,
  guard: Guard,
): Promise<{ readonly batch: Batch | null; readonly stats: ReadStats }> {
  const stop = guard.whenCancelled(() => {
    stream.close();
  });
  try {
    const batch = await stream.next();
    return { batch, stats: stream.stats() };
  } catch (error) {
    if (guard.isCancelled) throw new AppError('execution_error', 'the query was cancelled');
    throw error;
  } finally {
    stop();
    stream.close();
  }
}

function count(counters: QueryCounters, stats: ReadStats): void {
  counters.rowsScanned += stats.rowsScanned;
  counters.seriesScanned += stats.seriesScanned;
  counters.chunksScanned += stats.chunksScanned;
  counters.chunksSkipped += stats.chunksSkipped;
  counters.bytesRead += stats.bytesRead;
}
