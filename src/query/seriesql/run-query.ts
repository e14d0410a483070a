/**
 * Runs a query from its text to its rows: parse, plan, choose the engine, run. The interpreter runs
 * plans that the compiled engine refuses; shadow mode runs both.
 */

import {
  fromNanoseconds,
  type DatabaseTime,
  type Nanoseconds,
  type TimestampUnit,
} from '../../common/model/timestamp-unit.js';
import { AppError } from '../../common/errors/app-error.js';
import { Evaluator } from './plan/evaluate.js';
import { newCounters, type Execution, type QueryCounters } from './execute/execution.js';
import { requireFillRows } from './execute/fill.js';
import { Guard, type QueryLimits } from '../limits/guard.js';
import { OperatorCounters } from './execute/operators.js';
import { newProgress, selectorModeOf, statsOf, withWarnings } from './execute/query-stats.js';
import { newRun, type QueryRun } from './execute/run.js';
import { runShow } from './execute/show.js';
import { interpretSelect } from './interpret/select.js';
import { seriesWithSamples } from './interpret/series-with-samples.js';
import { runDelete, runInsert } from './interpret/write.js';
import { analyzedRows, explainStatement } from './explain/explain.js';
import { keysOfSelection } from './plan/label-keys.js';
import {
  askedBy,
  askedBySelect,
  notesOnStatement,
  type MetricRemarks,
} from './plan/metric-needs.js';
import { layouts, type ResultFormat } from './result/layout.js';

import { placed } from './place-error.js';
import {
  kTextSizeMax,
  PreparedStatements,
  type Parsed,
  type Preparation,
  type Prepared,
} from './prepared.js';
import { runShadowed, type ShadowOptions } from './shadow.js';

import type { SourceNode } from './language/ast.js';
import type { ExplainPlan, StatementPlan, ReadingPlan, SelectPlan, ShowPlan } from './plan/plan.js';
import type {
  CompiledEngine,
  CompiledQuery,
  FallbackReason,
  ShortAnswer,
} from './execute/compiled-engine.js';
import type { CompilerMode, QueryProgress, QueryStats } from './execute/query-stats.js';
import type { RunningQuery } from './execute/running-query.js';
import type { SeriesSource } from './execute/source.js';
import type { CompileTotals } from './compile-totals.js';

/** The longest query text, in bytes. */
export const kQuerySizeMax = 65_536;

export interface QueryEngineOptions {
  readonly source: SeriesSource;
  readonly mode: CompilerMode;
  readonly limits: QueryLimits;
  readonly clock: () => Nanoseconds;
  readonly compiled: CompiledEngine | null;
  readonly totals: CompileTotals;
  readonly shadow: ShadowOptions;
  /** A hint for a metric that matched no series. */
  readonly meantMetric?: (metric: string) => Promise<string | undefined>;
  /** A hint for a function of another language of the server. */
  readonly foreignFunction?: (name: string) => string | undefined;
  /** Labels of the metric or family after FROM, for hints. Never rejects. */
  readonly labelKeys?: (source: NamedSource) => Promise<readonly string[]>;
  /** Warnings about a metric that does not match the statement's assumptions. Missing: none. */
  readonly metricNotes?: MetricRemarks;
  /** The cache of earlier texts. */
  readonly prepared?: PreparedStatements;
}

/** Receives the access of a statement as soon as it is parsed. Throws if it is not allowed. */
export type RequireAccess = (access: 'read' | 'write') => void;

type NamedSource = Extract<SourceNode, { kind: 'name' }>;

interface QueryCall {
  /** The default has the limits of the engine. */
  readonly guard?: Guard;
  /** The rows may come as text in this format. */
  readonly format?: ResultFormat | null;
  /** Updated while the query runs. */
  readonly counters?: QueryCounters;
  readonly require?: RequireAccess | undefined;
}

/** A query that is answered at once, or started. */
export interface AskedStatement {
  /** True if it may be abandoned and retried: it changes nothing, and its text is short. */
  readonly onlyReads: boolean;
  /** The whole answer, in this turn. Null if the query must be started, also to report an error. */
  answerNow(): (ShortAnswer & { readonly stats: QueryStats }) | null;
  /** Starts it. Rejects with errors of its text or its selection. */
  start(): Promise<RunningQuery>;
}

export function askQuery(
  text: string,
  options: QueryEngineOptions,
  call: QueryCall = {},
): AskedStatement {
  return new Query(text, options, call);
}

/** Starts a query. Throws errors of its text or its selection. */
export async function runQuery(
  text: string,
  options: QueryEngineOptions,
  call: QueryCall = {},
): Promise<RunningQuery> {
  return askQuery(text, options, call).start();
}

function accessOf({ kind }: Parsed['statement']): 'read' | 'write' {
  return kind === 'insert' || kind === 'delete' ? 'write' : 'read';
}

class Query implements AskedStatement, Preparation {
  readonly #text: string;
  readonly #require: RequireAccess | undefined;
  readonly #options: QueryEngineOptions;
  readonly #guard: Guard;
  readonly #format: ResultFormat | null;
  readonly #counters: QueryCounters;
  #evaluator: Evaluator | null = null;
  readonly #progress: QueryProgress;
  readonly #statements: PreparedStatements;
  #parsed: Parsed | null = null;
  #prepared: Prepared | null = null;
  #labelKeys: readonly string[] | undefined;

  constructor(text: string, options: QueryEngineOptions, call: QueryCall) {
    this.#text = text;
    this.#require = call.require;
    this.#options = options;
    this.#guard = call.guard ?? new Guard(options.limits);
    this.#format = call.format ?? null;
    this.#counters = call.counters ?? newCounters();
    this.#progress = newProgress(options.mode);
    this.#statements = options.prepared ?? new PreparedStatements();
  }

  get onlyReads(): boolean {
    if (this.#text.length > kTextSizeMax) return false;
    try {
      return accessOf(this.#parse().statement) === 'read';
    } catch {
      // start() reports the error.
      return true;
    }
  }

  answerNow(): (ShortAnswer & { readonly stats: QueryStats }) | null {
    const { mode, compiled, totals } = this.#options;
    const isShort = this.#text.length <= kTextSizeMax;
    if (mode !== 'compiled' || compiled === null || this.#format === null || !isShort) return null;
    try {
      const prepared = this.#plan(this.#parse());
      const { plan } = prepared;
      const like = compiledOnce(compiled, prepared.like ?? prepared);
      if (!readsSeries(plan) || typeof like === 'string') return null;
      const { metricNotes } = this.#options;
      const notes = metricNotes?.known(plan.selection, askedBySelect(plan));
      if (notes === null) return null;
      const as = layouts[this.#format];
      const call = { guard: this.#guard, counters: this.#counters, as };
      const found = like.answerNow?.(plan, call) ?? null;
      if (found === null) return null;
      this.#counters.rowsEmitted = found.rowCount;
      this.#progress.endedAt = performance.now();
      this.#progress.selectorMode = selectorModeOf(plan.selection);
      totals.attempts += 1;
      totals.success += 1;
      const { columns, text, rowCount } = found;
      // A spread into another object would give a new hidden class each time.
      const warnings = [...(notes ?? []), ...notesOnStatement(plan)];
      const stats = withWarnings(statsOf(this.#progress, this.#counters), warnings);
      return { columns, text, rowCount, stats };
    } catch {
      // start() reports the error.
      return null;
    }
  }

  #parse(): Parsed {
    const parsed = (this.#parsed ??= this.#statements.parse(this.#text));
    this.#require?.(accessOf(parsed.statement));
    this.#progress.parsedAt ??= performance.now();
    return parsed;
  }

  #plan(parsed: Parsed): Prepared {
    const prepared = (this.#prepared ??= this.#statements.plan(parsed, this));
    this.#progress.checkedAt ??= performance.now();
    return prepared;
  }

  /** If the statement is wrong, it is checked again with the labels that its hints name. */
  async #planWithHints(parsed: Parsed): Promise<Prepared> {
    try {
      return this.#plan(parsed);
    } catch (error) {
      const { labelKeys } = this.#options;
      const source = namedSource(parsed.statement);
      const isWrong = error instanceof AppError && error.code === 'validation_failed';
      if (!isWrong || labelKeys === undefined || source === null) throw error;
      this.#labelKeys = await this.#guard.during(labelKeys(source), () => undefined);
      return this.#plan(parsed);
    }
  }

  // The inputs of a plan (Preparation).

  get labelKeys(): readonly string[] | undefined {
    return this.#labelKeys;
  }

  get unit(): TimestampUnit {
    return this.#options.source.unit;
  }

  get now(): DatabaseTime {
    return fromNanoseconds(this.#options.clock(), this.unit);
  }

  get foreignFunction(): QueryEngineOptions['foreignFunction'] {
    return this.#options.foreignFunction;
  }

  get evaluator(): Evaluator {
    return (this.#evaluator ??= new Evaluator(this.unit, this.#options.source.math));
  }

  async start(): Promise<RunningQuery> {
    const progress = this.#progress;
    // The wait before start() does not count as query time.
    if (this.#parsed === null) progress.startedAt = performance.now();
    const parsed = this.#parse();
    // For a long text, each of these steps takes milliseconds.
    await this.#guard.breathe();
    const { plan } = await this.#planWithHints(parsed);
    await this.#guard.breathe();
    const warnings = await this.#warnings(plan);
    const execution = await this.#execute(plan).catch(async (error: unknown) => {
      const meantMetric = (metric: string) => this.#meantMetric(plan, metric);
      throw await placed(error, { ...parsed, meantMetric });
    });
    const { columns, texts } = execution;
    return {
      columns,
      rows: this.#counted(execution.rows, (rows) => rows.length),
      ...(texts === undefined ? {} : { texts: this.#counted(texts, ({ rowCount }) => rowCount) }),
      stats: () => withWarnings(statsOf(progress, this.#counters), warnings),
      cancel: () => {
        this.#guard.cancel();
      },
    };
  }

  async #warnings(plan: StatementPlan): Promise<readonly string[]> {
    const { metricNotes } = this.#options;
    const about = askedBy(plan);
    if (metricNotes === undefined || about === null) return notesOnStatement(plan);
    const { selection, asked } = about;
    const notes =
      metricNotes.known(selection, asked) ??
      (await this.#guard.during(metricNotes.notesOn(selection, asked), () => undefined));
    return [...notes, ...notesOnStatement(plan)];
  }

  /** A label that no series has explains more than the metric's name. */
  async #meantMetric(plan: StatementPlan, metric: string): Promise<string | undefined> {
    const { metricNotes, meantMetric } = this.#options;
    const read = plan.kind === 'explain' ? plan.statement : plan;
    const selection = read.kind === 'insert' ? null : read.selection;
    if (selection === null) return meantMetric?.(metric);
    const asked = { keys: keysOfSelection(selection), counterFunction: null };
    const [note] = (await metricNotes?.notesOn(selection, asked)) ?? [];
    return note ?? meantMetric?.(metric);
  }

  get #run(): QueryRun {
    return newRun({
      source: this.#options.source,
      evaluator: this.evaluator,
      guard: this.#guard,
      counters: this.#counters,
    });
  }

  async #execute(plan: StatementPlan): Promise<Execution> {
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
        this.#progress.selectorMode = selectorModeOf(plan.selection);
        return runDelete(this.#run, plan);
      case 'show':
        this.#progress.selectorMode =
          plan.selection.target.kind === 'all' ? 'none' : selectorModeOf(plan.selection);
        return this.#runPlan(plan, () => this.#interpretShow(plan));
    }
  }

  async #explain(plan: ExplainPlan): Promise<Execution> {
    const { mode, statement } = plan;
    if (mode !== 'analyze' || statement.kind !== 'select') {
      this.#fallBack('unsupported_statement');
      return explainStatement(plan);
    }
    const operators = new OperatorCounters();
    this.#counters.operators = operators;
    const execution = await this.#select(statement);
    let rows = 0;
    for await (const batch of execution.rows) {
      rows += batch.length;
      this.#guard.requireRows(rows);
    }
    return analyzedRows(statement, operators, rows);
  }

  #interpretShow(plan: ShowPlan): Promise<Execution> {
    const run = this.#run;
    return runShow(run, plan, (all) => seriesWithSamples(run, plan.intervals, all));
  }

  /** Counts an attempt that the interpreter served, unless the mode never compiles. */
  #fallBack(reason: FallbackReason): void {
    if (this.#options.mode === 'legacy') return;
    const { totals } = this.#options;
    totals.attempts += 1;
    totals.fallback += 1;
    if (reason === 'series_not_found') totals.seriesNotFound += 1;
    else if (reason === 'ambiguous_selector') totals.ambiguousSelector += 1;
    else totals.unsupported += 1;
    this.#progress.reason = reason;
  }

  async #select(plan: SelectPlan): Promise<Execution> {
    if (plan.selection !== null) this.#progress.selectorMode = selectorModeOf(plan.selection);
    requireFillRows({ guard: this.#guard, source: this.#options.source }, plan);
    return this.#runPlan(plan, () => interpretSelect(this.#run, plan));
  }

  /** Runs the engine of the mode, or the interpreter if that engine refuses. */
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
      const count = (): void => {
        totals.shadowMismatch += 1;
        this.#progress.reason = 'shadow_mismatch';
      };
      return runShadowed(legacy, start, { ...shadow, count });
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
    const prepared = this.#prepared;
    if (prepared === null || prepared.plan !== plan) return engine.tryCompile(plan);
    prepared.compiled ??= boundAnew(engine, prepared.like, plan);
    return compiledOnce(engine, prepared);
  }

  async #runCompiled(query: CompiledQuery): Promise<Execution> {
    const format = this.#counters.operators === null ? this.#format : null;
    if (format === null || query.runAsText === undefined) {
      return query.run(this.#guard, this.#counters);
    }
    return query.runAsText(this.#guard, this.#counters, layouts[format]);
  }

  async *#counted<Batch>(
    batches: AsyncIterable<Batch>,
    countOf: (batch: Batch) => number,
  ): AsyncGenerator<Batch> {
    const counters = this.#counters;
    for await (const batch of batches) {
      counters.rowsEmitted += countOf(batch);
      this.#guard.requireRows(counters.rowsEmitted);
      yield batch;
    }
    this.#progress.endedAt = performance.now();
  }
}

function compiledOnce(engine: CompiledEngine, prepared: Prepared): CompiledQuery | FallbackReason {
  const { plan } = prepared;
  if (plan.kind !== 'select' && plan.kind !== 'show') return 'unsupported_statement';
  return (prepared.compiled ??= engine.tryCompile(plan));
}

/** The compiled form of a similar plan, with the reads of this one; null if there is none. */
function boundAnew(
  engine: CompiledEngine,
  like: Prepared | null,
  plan: SelectPlan | ShowPlan,
): CompiledQuery | null {
  if (like === null || !readsSeries(plan)) return null;
  // The interpreter may have run the similar plan, which is then not compiled yet.
  const compiled = compiledOnce(engine, like);
  return typeof compiled === 'string' ? null : (compiled.reading?.(plan) ?? null);
}

/** The metric or family after FROM; null if there is none. */
function namedSource(statement: Parsed['statement']): NamedSource | null {
  const inner = statement.kind === 'explain' ? statement.statement : statement;
  const from = inner.kind === 'insert' || inner.kind === 'explain' ? null : inner.from;
  return from?.kind === 'name' ? from : null;
}

function readsSeries(plan: StatementPlan): plan is ReadingPlan {
  return plan.kind === 'select' && plan.selection !== null;
}
