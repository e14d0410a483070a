/** SeriesQL queries: from one text to a stream of rows. */

import { AppError } from '../common/errors/app-error.js';
import { checkedPastState } from '../common/model/past-state.js';
import { milliseconds, toNanoseconds, type TimestampUnit } from '../common/model/timestamp-unit.js';
import { fallbackOf } from '../config/settings.js';
import { expressionWorksOnTexts } from '../query/promql/works-on-texts.js';
import { zeroTotals, type CompileTotals } from '../query/seriesql/compile-totals.js';
import { StorageQueryEngine } from '../query/seriesql/compiled/storage-engine.js';
import { newCounters, type QueryCounters } from '../query/seriesql/execute/execution.js';
import { Guard, ValuePool, limitsWithin, type QueryLimits } from '../query/limits/guard.js';
import { withNote, type RunningQuery } from '../query/seriesql/execute/running-query.js';
import { StorageSource } from '../query/seriesql/execute/storage-source.js';
import { Evaluator } from '../query/seriesql/plan/evaluate.js';
import { PreparedStatements } from '../query/seriesql/prepared.js';
import { printAnswer, type ResultFormat } from '../query/seriesql/result/format.js';
import {
  askQuery,
  kQuerySizeMax,
  type AskedStatement,
  type QueryEngineOptions,
  type RequireAccess,
} from '../query/seriesql/run-query.js';
import { statementWorksOnTexts } from '../query/seriesql/works-on-texts.js';
import { BoundStore } from '../storage/bound-store.js';
import { TextAccount, TextPool } from '../query/limits/text-account.js';

import {
  asQueryError,
  noFigures,
  piecesOf,
  WholeQueryAnswer,
  type AskedQuery,
  type AskedRead,
} from './asked-query.js';
import { endedBy, heldBy, piecesAfter } from './byte-streams.js';
import { EscapedNames } from './names/escaped-names.js';
import { KnownMetrics } from './names/known-metrics.js';
import { labelKeysOf } from './names/label-keys.js';
import { meantMetric } from './names/meant-metric.js';
import {
  answerAtOnce,
  answerPromql,
  functionOfPromql,
  readQuestion,
  type PromqlQuestion,
} from './promql.js';
import { PastStates, type OpenState } from './past-states.js';
import { QueryLine } from './slots/query-line.js';
import {
  RunningQueries,
  type QueryAsker,
  type ListedQuery,
  type QueryListing,
  type ThreadIndex,
} from './slots/running-queries.js';

import type { PromqlSettings } from '../query/promql/run-promql.js';
import type { CompiledEngine } from '../query/seriesql/execute/compiled-engine.js';
import type { CompilerMode } from '../query/seriesql/execute/query-stats.js';
import type { SeriesSource } from '../query/seriesql/execute/source.js';
import type { LabelPairs } from '../common/model/selector.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

export { contentTypes } from '../query/seriesql/result/format.js';
export { kQuerySizeMax } from '../query/seriesql/run-query.js';
export { mayStore } from '../query/seriesql/language/first-word.js';

/** Settings that may change while the server runs. */
export interface QuerySettings {
  readonly mode: CompilerMode;
  readonly onShadowMismatch: 'log' | 'error';
  readonly limits: QueryLimits;
  readonly maxConcurrent: number;
  readonly promql: PromqlSettings;
}

export const defaultQuerySettings: QuerySettings = {
  mode: 'compiled',
  onShadowMismatch: 'log',
  limits: {
    maxRows: fallbackOf('max_query_rows'),
    maxSeries: fallbackOf('max_query_series'),
    maxSamples: fallbackOf('max_query_samples'),
    maxTextBytes: 268_435_456,
    timeoutMs: fallbackOf('query_timeout_ms'),
  },
  maxConcurrent: fallbackOf('max_concurrent_queries'),
  promql: {
    lookbackMs: milliseconds(fallbackOf('promql_lookback_ms')),
    subqueryStepMs: milliseconds(fallbackOf('promql_evaluation_interval_ms')),
    maxCells: fallbackOf('max_query_cells'),
  },
};

interface QueryServiceOptions {
  readonly storage: SeriesStore;
  readonly unit: TimestampUnit;
  readonly settings: () => QuerySettings;
  /** Called for a query whose two engines disagree. */
  readonly reportMismatch: (query: string, difference: string) => void;
  /** Opens a past state; absent if there are none. */
  readonly openState?: OpenState;
  /** The note of a past state for stateNote(); absent for the current state. */
  readonly note?: string;
  /** Counts shared with other threads; absent if there are none. */
  readonly thread?: QueryThread;
}

export interface QueryThread extends ThreadIndex {
  /** From querySlots(count), shared by all threads. */
  readonly slots: Int32Array;
}

/** The most zones with cached statements. */
const kZonesMax = 8;

export interface WantedQuery {
  readonly format: ResultFormat;
  /** Null: the current state. */
  readonly asOf?: string | null;
  /** The zone of times that name none; null means UTC. */
  readonly zone?: string | null;
  /** Throws if the principal lacks the scope of the statement. */
  readonly require?: RequireAccess;
  /** Absent if there is only one principal. */
  readonly asker?: QueryAsker;
}

/** A read that is not a statement. It waits for a query slot. */
interface WantedRead {
  /** PromQL, or selectors of it. */
  readonly text: string;
  readonly open: (guard: Guard) => Promise<ByteStream>;
  /** Maximum duration, if shorter than the setting. */
  readonly mostMs?: number;
  readonly asker: QueryAsker | undefined;
}

interface StatementRun {
  readonly text: string;
  readonly zone: string | null;
  readonly format: ResultFormat;
  readonly require: RequireAccess | undefined;
  readonly guard: Guard;
  readonly counters: QueryCounters;
}

interface StartedQuery extends StatementRun {
  readonly principal: string;
  /** Called with the counters of the run that gives the answer. */
  readonly onRun: (counters: QueryCounters) => void;
  readonly onStarted: (query: RunningQuery) => void;
}

export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #source: SeriesSource;
  readonly #compiled: CompiledEngine;
  readonly #line: QueryLine;
  readonly #running: RunningQueries;
  /** Memory of all listed queries. */
  readonly #texts: TextPool;
  readonly #values: ValuePool;
  readonly #prepared = new PreparedStatements();
  readonly #preparedInZones = new Map<string, PreparedStatements>();
  readonly #metricNotes: KnownMetrics;
  readonly escapedNames: EscapedNames;
  readonly #totals: CompileTotals;
  readonly #past: PastStates<QueryService> | null;
  /** Null: no restriction. */
  readonly #labels: LabelPairs | null;
  readonly #bound = new WeakMap<LabelPairs, QueryService>();

  /**
   * `beside` is a service of the same server; both share their limits. With `labels`, this service
   * is the restricted part of `beside`.
   */
  constructor(
    options: QueryServiceOptions,
    beside?: QueryService,
    labels: LabelPairs | null = null,
  ) {
    this.#options = options;
    this.#labels = labels;
    const { thread } = options;
    this.#line = beside === undefined ? new QueryLine(thread) : beside.#line;
    this.#running = beside === undefined ? new RunningQueries(thread) : beside.#running;
    this.#texts = beside === undefined ? new TextPool() : beside.#texts;
    this.#values = beside === undefined ? new ValuePool() : beside.#values;
    this.#totals = beside === undefined ? zeroTotals() : beside.#totals;
    this.#past = beside !== undefined && labels !== null ? beside.#past : this.#pastStates();
    const { storage, unit } = options;
    this.#metricNotes = new KnownMetrics(storage);
    this.escapedNames = new EscapedNames(storage);
    this.#source = new StorageSource(storage, unit, new Evaluator(unit, storage.math));
    this.#compiled = new StorageQueryEngine(storage, this.#source);
  }

  /** Runs a PromQL query. */
  askPromql(question: PromqlQuestion, asker?: QueryAsker): AskedRead {
    const { store } = this;
    const names = this.escapedNames;
    const { promql: settings, limits, maxConcurrent } = this.#options.settings();
    const { text, timeoutMs } = question;
    const askedAt = performance.now();
    // A syntax tree takes sixty times the memory of its text, so waiting and refused queries have
    // none.
    let tree = this.#line.isOpen(maxConcurrent) ? readQuestion(question, askedAt) : null;
    const within = limitsWithin(limits, timeoutMs ?? Infinity);
    const isTime = within.timeoutMs > 0;
    const answer =
      tree !== null && isTime
        ? answerAtOnce({ store, settings, names, limits: within }, tree)
        : null;
    if (answer instanceof Uint8Array)
      return new WholeQueryAnswer(answer, { text, figures: noFigures, warnings: undefined });
    let begun = answer;
    const open = (guard: Guard): Promise<ByteStream> => {
      const asked = tree ?? readQuestion(question, askedAt);
      const opened = begun;
      [tree, begun] = [null, null];
      return answerPromql({ store, settings, names, guard }, asked, opened);
    };
    const read = this.read({ text, open, mostMs: timeoutMs ?? Infinity, asker });
    if (answer !== null && 'close' in answer) {
      // The answer may never have been read.
      read.started.catch(() => {
        answer.close();
      });
    }
    return read;
  }

  /** A guard for selecting series outside of queries, with the same deadline. */
  newGuard(): Guard {
    return new Guard(this.#options.settings().limits);
  }

  /** The source of the query. */
  get store(): SeriesStore {
    return this.#options.storage;
  }

  #pastStates(): PastStates<QueryService> | null {
    const { openState, unit, settings, reportMismatch } = this.#options;
    if (openState === undefined) return null;
    return new PastStates(
      openState,
      (storage) =>
        new QueryService({ storage, unit, settings, reportMismatch, note: storage.note }, this),
    );
  }

  /** Restricts the source to series with these labels; null: no restriction. */
  boundTo(labels: LabelPairs | null): QueryService {
    if (labels === null) return this;
    const known = this.#bound.get(labels);
    if (known !== undefined) return known;
    const storage = new BoundStore(this.#options.storage, labels);
    const bound = new QueryService({ ...this.#options, storage }, this, labels);
    this.#bound.set(labels, bound);
    return bound;
  }

  /** Runs a query on a past state, or with null on the current one. */
  ask(text: string, { format, asOf = null, zone = null, require, asker }: WantedQuery): AskedQuery {
    const { limits, maxConcurrent } = this.#options.settings();
    const guard = this.#listedGuard(limits, () => statementWorksOnTexts(text));
    let counters = newCounters();
    const figures = (): ReturnType<AskedQuery['figures']> => ({
      rows: counters.rowsEmitted,
      samples: counters.rowsScanned,
    });
    const run = { text, zone, format, guard, counters, require };
    const statement = asOf === null ? this.#statement(run) : null;
    if (statement !== null && this.#line.isOpen(maxConcurrent)) {
      const answer = statement.answerNow();
      if (answer !== null) {
        const { warnings } = answer.stats;
        return new WholeQueryAnswer(printAnswer(answer, format), { text, figures, warnings });
      }
    }
    let warnings: readonly string[] = [];
    const asked: StartedQuery = {
      ...run,
      principal: principalOf(asker),
      onRun: (next) => {
        counters = next;
      },
      onStarted: (query) => {
        warnings = query.stats().warnings ?? [];
      },
    };
    const listing = this.#running.add({ text, asOf, guard });
    const started =
      statement !== null
        ? this.#start(statement, asked, listing)
        : this.#startPast(asOf ?? '', (service) =>
            service.#start(service.#statement(asked), asked, listing),
          );
    started.catch(() => {
      listing.ended();
    });
    return {
      whole: null,
      started,
      cancel: () => {
        guard.cancel();
      },
      warnings: () => warnings,
      figures,
    };
  }

  /** A guard that releases its memory when its listing ends. */
  #listedGuard(limits: QueryLimits, worksOnTexts: () => boolean): Guard {
    const texts = new TextAccount(limits.maxTextBytes, this.#texts);
    return new Guard(limits, { texts, values: this.#values, worksOnTexts });
  }

  #statement({ text, zone, require, guard, format, counters }: StatementRun): AskedStatement {
    const call = { guard, format, counters, require };
    const prepared = zone === null ? this.#prepared : this.#preparedIn(zone);
    return askQuery(text, this.#engine(text, prepared, this.#options.settings()), call);
  }

  /**
   * Runs `open` as a listed query with a slot, and with the queries' timeout or a shorter one.
   * `open` may be called twice and must change nothing.
   */
  read({ text, open, mostMs = Infinity, asker }: WantedRead): AskedRead {
    const limits = limitsWithin(this.#options.settings().limits, mostMs);
    const guard = this.#listedGuard(limits, () => expressionWorksOnTexts(text));
    const listing = this.#running.add({ text, asOf: null, guard });
    const started = this.#line.whenItsTurn({
      ...{ guard, listing, principal: principalOf(asker), onlyReads: true },
      limit: this.#options.settings().maxConcurrent,
      open: async (within, leave) => heldBy(endedBy(within, await open(within)), leave),
    });
    started.catch(() => {
      listing.ended();
    });
    return {
      whole: null,
      started,
      text,
      cancel: () => {
        guard.cancel();
      },
    };
  }

  /** The longest duration of a query that begins now, including its wait for a slot. */
  get timeoutMs(): number {
    return this.#options.settings().limits.timeoutMs;
  }

  /** Waiting and running queries, including those of past states. */
  listRunning(): readonly ListedQuery[] {
    return this.#running.list();
  }

  /** False if no query has that number. */
  cancelRunning(id: bigint): boolean {
    return this.#running.cancel(id);
  }

  /** Counters by the names of the specification. */
  figures(): Readonly<Record<string, number>> {
    const totals = this.#totals;
    return {
      query_compile_attempts_total: totals.attempts,
      query_compile_success_total: totals.success,
      query_compile_fallback_total: totals.fallback,
      query_compile_unsupported_total: totals.unsupported,
      query_compile_series_not_found_total: totals.seriesNotFound,
      query_compile_ambiguous_selector_total: totals.ambiguousSelector,
      query_compile_shadow_mismatch_total: totals.shadowMismatch,
    };
  }

  /** Reads a past state with `open`. The state is held until the pieces end. */
  readPast(asOf: string, open: (storage: SeriesStore) => ByteStream): ByteStream {
    return piecesAfter(() =>
      this.#startPast(asOf, (service) => Promise.resolve(open(service.store))),
    );
  }

  /**
   * The note of the past state, which then stays open for the next reader. Rejects like a query of
   * that state.
   */
  async noteOf(asOf: string): Promise<string> {
    const { state, release } = await this.#lease(asOf);
    release();
    return state.#options.note ?? '';
  }

  /** Closes open states of a snapshot that is about to be deleted. */
  async forgetState(snapshot: string): Promise<void> {
    await this.#past?.forget(snapshot);
  }

  async close(): Promise<void> {
    await this.#past?.close();
  }

  async #lease(asOf: string): ReturnType<PastStates<QueryService>['lease']> {
    if (this.#past === null) {
      throw new AppError('snapshot_not_found', `there is no snapshot ${asOf}`);
    }
    return this.#past.lease(checkedPastState(asOf, this.#options.unit));
  }

  async #startPast(
    asOf: string,
    start: (service: QueryService) => Promise<ByteStream>,
  ): Promise<ByteStream> {
    const lease = await this.#lease(asOf);
    try {
      return heldBy(await start(lease.state.boundTo(this.#labels)), lease.release);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  async #start(
    statement: AskedStatement,
    asked: StartedQuery,
    listing: QueryListing,
  ): Promise<ByteStream> {
    const { text, format, guard, principal, onRun, onStarted } = asked;
    if (Buffer.byteLength(text) > kQuerySizeMax) throw tooLarge();
    const open = async (within: Guard, leave: () => void): Promise<ByteStream> => {
      let run = statement;
      if (within !== guard) {
        const counters = newCounters();
        onRun(counters);
        run = this.#statement({ ...asked, guard: within, counters });
      } else {
        onRun(asked.counters);
      }
      try {
        const query = withNote(await run.start(), this.#options.note);
        onStarted(query);
        return piecesOf(query, format, leave);
      } catch (error) {
        throw asQueryError(error);
      }
    };
    const limit = this.#options.settings().maxConcurrent;
    const { onlyReads } = statement;
    return this.#line.whenItsTurn({ guard, listing, principal, limit, open, onlyReads });
  }

  #preparedIn(zone: string): PreparedStatements {
    const known = this.#preparedInZones.get(zone);
    if (known !== undefined) return known;
    if (this.#preparedInZones.size >= kZonesMax) this.#preparedInZones.clear();
    const prepared = new PreparedStatements(zone);
    this.#preparedInZones.set(zone, prepared);
    return prepared;
  }

  #engine(text: string, prepared: PreparedStatements, settings: QuerySettings): QueryEngineOptions {
    const { reportMismatch, storage } = this.#options;
    return {
      source: this.#source,
      mode: settings.mode,
      limits: settings.limits,
      clock: () => toNanoseconds(milliseconds(Date.now())),
      compiled: this.#compiled,
      totals: this.#totals,
      prepared,
      foreignFunction: functionOfPromql,
      meantMetric: (metric) => meantMetric(storage, metric),
      labelKeys: (named) => labelKeysOf(storage, named),
      metricNotes: this.#metricNotes,
      shadow: {
        onMismatch: settings.onShadowMismatch,
        report: (difference) => {
          reportMismatch(text, difference);
        },
      },
    };
  }
}

export function tooLarge(): AppError {
  return new AppError('query_too_large', `a query has at most ${kQuerySizeMax} bytes`);
}

const principalOf = (asker: QueryAsker | undefined): string => asker?.principal() ?? '';
