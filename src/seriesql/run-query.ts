/**
 * A query from its text to its rows, on one page: parse, plan, choose the engine, run. What the
 * compiled engine cannot take falls back to the interpreter; shadow mode runs both.
 */

import { AppError } from '../errors/app-error.js';

import { Evaluator } from './evaluate.js';
import { newCounters, type Execution, type QueryCounters } from './execution.js';
import { analyzedRows, explainStatement } from './explain.js';
import { Guard, type QueryLimits } from './guard.js';
import { nanosecondsPerUnit } from './language/time-literal.js';
import { newRun, type Run } from './legacy/scan.js';
import { interpretSelect } from './legacy/select.js';
import { interpretShow } from './legacy/show.js';
import { runDelete, runInsert } from './legacy/write.js';
import { asStep, Operators, roundedMs } from './operators.js';
import { asksForSamples } from './plan/intervals.js';
import { planOf, PreparedStatements, type Parsed } from './prepared.js';
import { rowLayout, type ResultFormat } from './result/layout.js';
import { namesAllLabels } from './selection-match.js';
import { runShadowed, type ShadowOptions } from './shadow.js';
import { selectDuring } from './source.js';

import type { CompiledEngine, CompiledQuery, FallbackReason } from './compiled.js';
import type { Statement } from './language/ast.js';
import type { QueryText } from './language/query-text.js';
import type { ExplainPlan, Plan, Selection, SelectPlan, ShowPlan } from './plan/plan.js';
import type { SeriesInfo, SeriesSource } from './source.js';

/** Longest text in bytes. */
export const kQuerySizeMax = 65_536;

export type CompilerMode = 'compiled' | 'legacy' | 'shadow';

/** Totals over all queries, under the specification's names without `query_compile_`. */
export interface CompileTotals {
  attempts: number;
  success: number;
  fallback: number;
  unsupported: number;
  seriesNotFound: number;
  ambiguousSelector: number;
  shadowMismatch: number;
}

/** Before the first query. */
export function zeroTotals(): CompileTotals {
  return {
    attempts: 0,
    success: 0,
    fallback: 0,
    unsupported: 0,
    seriesNotFound: 0,
    ambiguousSelector: 0,
    shadowMismatch: 0,
  };
}

export interface QueryEngineOptions {
  readonly source: SeriesSource;
  readonly mode: CompilerMode;
  readonly limits: QueryLimits;
  /** Nanoseconds since 1970. */
  readonly clock: () => bigint;
  readonly compiled: CompiledEngine | null;
  readonly totals: CompileTotals;
  readonly shadow: ShadowOptions;
  /** Texts that were asked before. */
  readonly prepared?: PreparedStatements;
}

/** A query whose rows are being read. */
export interface RunningQuery extends Execution {
  /** After the last row: all figures. Before: those known so far. */
  stats(): QueryStats;
  cancel(): void;
}

export interface QueryStats {
  /** From the text to its tree. */
  readonly parse_ms: number;
  /** Names, types and constants: from the tree to the logical plan. */
  readonly validate_ms: number;
  /** The engine chosen, the plan put into its terms, the series selected. */
  readonly plan_ms: number;
  /** The rest, to the last row. */
  readonly execute_ms: number;
  readonly rows_emitted: number;
  readonly rows_scanned: number;
  readonly series_scanned: number;
  readonly chunks_scanned: number;
  readonly chunks_skipped: number;
  readonly bytes_read: number;
  readonly execution_mode: CompilerMode;
  readonly legacy_fallback: boolean;
  readonly fallback_reason?: FallbackReason;
  readonly selector_mode: 'exact' | 'metric_family' | 'none';
  readonly selected_series_count: number;
  readonly operators?: readonly { name: string; rows_out: number; elapsed_ms: number }[];
}

/**
 * Starts a query. Throws what its text or its selection says is wrong. With a format rows may come
 * as text of that format.
 */
export async function runQuery(
  text: string,
  options: QueryEngineOptions,
  guard = new Guard(options.limits),
  format: ResultFormat | null = null,
): Promise<RunningQuery> {
  return new Query(options, guard, format).start(text);
}

class Query {
  readonly #options: QueryEngineOptions;
  readonly #guard: Guard;
  readonly #format: ResultFormat | null;
  readonly #counters = newCounters();
  readonly #evaluator: Evaluator;
  #parsed: Parsed | null = null;
  #marks: number[] = [];
  #endedAt: number | null = null;
  #reason: FallbackReason | null = null;
  #selectorMode: QueryStats['selector_mode'] = 'none';

  constructor(options: QueryEngineOptions, guard: Guard, format: ResultFormat | null) {
    this.#options = options;
    this.#guard = guard;
    this.#format = format;
    this.#evaluator = new Evaluator(options.source.unit, options.source.math);
  }

  async start(text: string): Promise<RunningQuery> {
    const { unit } = this.#options.source;
    this.#mark();
    const { prepared = new PreparedStatements(), clock } = this.#options;
    const parsed = prepared.parse(text);
    this.#parsed = parsed;
    this.#mark();
    // A long text takes milliseconds for each of these.
    await this.#guard.breathe();
    const now = clock() / nanosecondsPerUnit[unit];
    const plan = planOf(parsed, { unit, now, evaluator: this.#evaluator });
    this.#mark();
    await this.#guard.breathe();
    const execution = await this.#execute(plan).catch((error: unknown) => {
      throw placed(error, parsed.source, parsed.statement);
    });
    const { columns, texts } = execution;
    return {
      columns,
      rows: this.#counted(execution.rows, (rows) => rows.length),
      ...(texts === undefined ? {} : { texts: this.#counted(texts, ({ rowCount }) => rowCount) }),
      stats: () => this.#stats(),
      cancel: () => {
        this.#guard.cancel();
      },
    };
  }

  #mark(): void {
    this.#marks.push(performance.now());
  }

  get #run(): Run {
    return newRun({
      source: this.#options.source,
      evaluator: this.#evaluator,
      guard: this.#guard,
      counters: this.#counters,
    });
  }

  async #execute(plan: Plan): Promise<Execution> {
    switch (plan.kind) {
      case 'select':
        return this.#select(plan);
      case 'explain':
        return this.#explain(plan);
      case 'insert':
        this.#fallBack('unsupported_statement');
        return runInsert(this.#run, plan);
      case 'delete':
        this.#fallBack('unsupported_statement');
        this.#selectorMode = selectorModeOf(plan.selection);
        return runDelete(this.#run, plan);
      case 'show':
        this.#selectorMode =
          plan.selection.target.kind === 'all' ? 'none' : selectorModeOf(plan.selection);
        return this.#runPlan(plan, () => interpretShow(this.#run, plan));
    }
  }

  async #explain(plan: ExplainPlan): Promise<Execution> {
    const { mode, statement } = plan;
    if (mode !== 'analyze' || statement.kind !== 'select') {
      this.#fallBack('unsupported_statement');
      return explainStatement(plan);
    }
    const operators = new Operators();
    this.#counters.operators = operators;
    const execution = await this.#select(statement);
    let rows = 0;
    for await (const batch of execution.rows) {
      rows += batch.length;
      this.#guard.requireRows(rows);
    }
    return analyzedRows(statement, operators, rows);
  }

  /** Counts an attempt that ended in the interpreter, unless the mode never tries. */
  #fallBack(reason: FallbackReason): void {
    if (this.#options.mode === 'legacy') return;
    const { totals } = this.#options;
    totals.attempts += 1;
    totals.fallback += 1;
    if (reason === 'series_not_found') totals.seriesNotFound += 1;
    else if (reason === 'ambiguous_selector') totals.ambiguousSelector += 1;
    else totals.unsupported += 1;
    this.#reason = reason;
  }

  async #select(plan: SelectPlan): Promise<Execution> {
    if (plan.selection !== null) this.#selectorMode = selectorModeOf(plan.selection);
    return this.#runPlan(plan, () => this.#interpret(plan));
  }

  /** By the engine that the mode says, where it can. */
  async #runPlan(
    plan: SelectPlan | ShowPlan,
    interpret: () => Promise<Execution>,
  ): Promise<Execution> {
    const { mode, compiled, totals, shadow } = this.#options;
    if (mode === 'legacy') return interpret();
    const query = compiled === null ? 'unsupported_statement' : this.#compile(compiled, plan);
    if (typeof query === 'string') {
      this.#fallBack(query);
      return interpret();
    }
    totals.attempts += 1;
    try {
      if (mode === 'compiled') return await this.#runCompiled(query);
      const legacy = await interpret();
      const start = (): Promise<Execution> => query.run(this.#guard.twin(), newCounters());
      return runShadowed(legacy, start, shadow, () => {
        totals.shadowMismatch += 1;
        this.#reason = 'shadow_mismatch';
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'series_not_found')
        totals.seriesNotFound += 1;
      if (error instanceof AppError && error.code === 'ambiguous_selector') {
        totals.ambiguousSelector += 1;
      }
      throw error;
    } finally {
      totals.success += 1;
    }
  }

  #compile(engine: CompiledEngine, plan: SelectPlan | ShowPlan): CompiledQuery | FallbackReason {
    const parsed = this.#parsed;
    if (parsed === null || parsed.plan !== plan) return engine.tryCompile(plan);
    parsed.compiled ??= engine.tryCompile(plan);
    return parsed.compiled;
  }

  async #runCompiled(query: CompiledQuery): Promise<Execution> {
    const format = this.#counters.operators === null ? this.#format : null;
    if (format === null || query.runAsText === undefined) {
      return query.run(this.#guard, this.#counters);
    }
    return query.runAsText(this.#guard, this.#counters, (columns) => rowLayout(format, columns));
  }

  async #interpret(plan: SelectPlan): Promise<Execution> {
    const all = plan.selection === null ? [] : await this.#selected(plan.selection);
    this.#counters.selectedSeriesCount = all.length;
    const isIndexOnly = plan.shape.kind === 'series' && !asksForSamples(plan.intervals);
    if (!isIndexOnly) this.#guard.requireSeries(all.length);
    if (plan.selection !== null) {
      this.#counters.isExact = namesAllLabels(plan.selection, all);
      requireSeries(plan, all.length);
    }
    this.#counters.plannedAt = performance.now();
    return interpretSelect(this.#run, plan, all);
  }

  #selected(selection: Selection): Promise<readonly SeriesInfo[]> {
    const work = (): Promise<readonly SeriesInfo[]> =>
      selectDuring(this.#guard, this.#options.source, selection);
    const rowsOf = ({ length }: readonly SeriesInfo[]): number => length;
    return asStep(this.#counters.operators, 'select series', { work, rowsOf });
  }

  async *#counted<Batch>(
    batches: AsyncIterable<Batch>,
    countOf: (batch: Batch) => number,
  ): AsyncGenerator<Batch> {
    const counters: QueryCounters = this.#counters;
    for await (const batch of batches) {
      counters.rowsEmitted += countOf(batch);
      this.#guard.requireRows(counters.rowsEmitted);
      yield batch;
    }
    this.#endedAt = performance.now();
  }

  #stats(): QueryStats {
    const [start = 0, parsed = start, checked = parsed] = this.#marks;
    const counters = this.#counters;
    const planned = counters.plannedAt ?? checked;
    const end = this.#endedAt ?? performance.now();
    const operators = counters.operators?.list().map(({ name, rowsOut, elapsedMs }) => ({
      ...{ name, rows_out: rowsOut, elapsed_ms: roundedMs(elapsedMs) },
    }));
    return {
      parse_ms: roundedMs(parsed - start),
      validate_ms: roundedMs(checked - parsed),
      plan_ms: roundedMs(planned - checked),
      execute_ms: roundedMs(end - planned),
      rows_emitted: counters.rowsEmitted,
      rows_scanned: counters.rowsScanned,
      series_scanned: counters.seriesScanned,
      chunks_scanned: counters.chunksScanned,
      chunks_skipped: counters.chunksSkipped,
      bytes_read: counters.bytesRead,
      execution_mode: this.#options.mode,
      legacy_fallback: this.#reason !== null && this.#reason !== 'shadow_mismatch',
      ...(this.#reason === null ? {} : { fallback_reason: this.#reason }),
      selector_mode:
        this.#selectorMode !== 'none' && counters.isExact ? 'exact' : this.#selectorMode,
      selected_series_count: counters.selectedSeriesCount,
      ...(operators === undefined ? {} : { operators }),
    };
  }
}

function selectorModeOf({
  target,
}: NonNullable<SelectPlan['selection']>): 'exact' | 'metric_family' {
  return target.kind === 'by_id' ? 'exact' : 'metric_family';
}

/**
 * Errors of the selection point at what stands after FROM. What an INSERT names may be no record:
 * then the text is at fault, and not a line of it.
 */
function placed(error: unknown, source: QueryText, statement: Statement): unknown {
  if (error instanceof AppError && error.code === 'invalid_record') {
    const message = error.message.replace(/^line [0-9]+: /, '');
    return source.error('validation_failed', statement.span.start, message);
  }
  const isOfSelection =
    error instanceof AppError &&
    (error.code === 'series_not_found' || error.code === 'ambiguous_selector');
  const inner = statement.kind === 'explain' ? statement.statement : statement;
  const from = inner.kind === 'insert' || inner.kind === 'explain' ? null : inner.from;
  if (!isOfSelection || from === null) return error;
  return source.error(error.code, from.span.start, error.message);
}

/** Whether rows of several series would come without what says whose they are. */
export function mustBeOneSeries(plan: SelectPlan): boolean {
  return plan.shape.kind === 'raw' && !plan.identifiesSeries;
}

/** Throws `series_not_found`, and `ambiguous_selector` where nothing says which row is whose. */
export function requireSeries(plan: SelectPlan, count: number): void {
  if (count === 0) {
    throw new AppError('series_not_found', 'the selector matches no series');
  }
  if (count === 1 || !mustBeOneSeries(plan)) return;
  const hint = 'add metric, series_id or a label to the SELECT, or narrow the selection';
  const message = `the selector matches ${count} series, and no column says which row is whose`;
  throw new AppError('ambiguous_selector', `${message}; ${hint}`);
}
