/** PromQL queries: one text in, an answer of Prometheus' API out. */

import { wholeLeafOf } from '../query/promql/evaluate/whole-leaf.js';
import { functionTable } from '../query/promql/functions/function-table.js';
import { parsePromql } from '../query/promql/parse.js';
import { printAnswer, rowsText } from '../query/promql/result/api-json.js';
import { runPromql, type PromqlSettings } from '../query/promql/run-promql.js';
import { StepReads, stepLimits } from '../query/promql/vectors/step-reads.js';
import { findMetrics } from './discovery.js';
import { toldOfEscaped, type EscapedNames } from './names/escaped-names.js';
import { listFilter, resolveMatchers } from './series-matchers.js';
import { textOf } from './byte-streams.js';

import type { Expression } from '../query/promql/syntax/ast.js';
import type { StepSource } from '../query/promql/vectors/context.js';
import type { Frame } from '../query/promql/vectors/value.js';
import type { Guard, QueryLimits } from '../query/limits/guard.js';
import type { ByteStream, OpenedSteps, SeriesStore, StepQuery } from '../storage/storage.js';

/** All times in milliseconds. */
export interface PromqlQuestion {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Null: an instant query at `start`. */
  readonly step: number | null;
  /** Overrides the setting; null: the setting. */
  readonly lookbackMs: number | null;
  /** Shorter than the setting, which always applies; null: the setting. */
  readonly timeoutMs: number | null;
  /** Maximum series of the answer; 0: all. */
  readonly limit: number;
  /** The answer includes statistics. */
  readonly wantsStats: boolean;
  /** What the answer's `infos` say of the request. */
  readonly infos: readonly string[];
}

/** A parsed question. */
interface ReadQuestion {
  readonly question: PromqlQuestion;
  readonly expression: Expression;
  readonly frame: Frame;
  /** Milliseconds of performance.now(). */
  readonly askedAt: number;
}

/** A hint for statements of SeriesQL. */
export function functionOfPromql(name: string): string | undefined {
  return functionTable.has(name) ? `PromQL has ${name}: ask /api/v1/query` : undefined;
}

/** What an instant query has for the step, which only a division needs. */
const kInstantStepMs = 1;

/** Throws `parse_failed`. */
export function readQuestion(question: PromqlQuestion, askedAt = performance.now()): ReadQuestion {
  const { text, start, end, step } = question;
  const count = step === null ? 1 : Math.floor((end - start) / step) + 1;
  const frame = { start, step: step ?? kInstantStepMs, count };
  return { question, expression: parsePromql(text), frame, askedAt };
}

interface Answering {
  readonly store: SeriesStore;
  readonly settings: PromqlSettings;
  /** Of that store. */
  readonly names: EscapedNames;
}

/**
 * All of it, where the addon has it at once. Else what answerPromql() is to be given, and must: the
 * only read of its expression, which has begun. Null: nothing has. Throws what ends a query.
 */
export function answerAtOnce(
  { store, settings, names, limits }: Answering & { readonly limits: QueryLimits },
  { question, expression, frame }: ReadQuestion,
): Uint8Array | OpenedSteps | null {
  const { lookbackMs, limit, step, wantsStats, infos } = question;
  if (limit > 0 || wantsStats || infos.length > 0) return null;
  const leaf = wholeLeafOf(expression, frame, lookbackMs ?? settings.lookbackMs);
  const of = leaf && listFilter(leaf.matchers);
  if (leaf === null || of === null) return null;
  const isInstant = step === null;
  const rows = store.answerSteps({
    of,
    start: frame.start,
    step: frame.step,
    count: frame.count,
    window: leaf.window,
    offset: leaf.offset,
    fn: leaf.fn,
    args: [],
    fold: leaf.fold,
    kept: leaf.kept,
    limits: stepLimits(
      { limits, samples: 0, remainingMs: limits.timeoutMs },
      { held: 0, max: settings.maxCells },
    ),
    isInstant,
    hidesMetadata: leaf.hidesMetadata,
  });
  if (!('text' in rows)) return rows;
  const name = rows.text.length === 0 ? onlyName(of) : null;
  return name !== null && names.mayBeEscaped(name) ? null : rowsText(rows.text, isInstant);
}

/** Throws `execution_error` and errors that end a query. */
export async function answerPromql(
  { store, settings, names, guard }: Answering & { readonly guard: Guard },
  { question, expression, frame, askedAt }: ReadQuestion,
  opened: OpenedSteps | null = null,
): Promise<ByteStream> {
  const { text, end, step, lookbackMs, limit, wantsStats } = question;
  const beganAt = performance.now();
  const isInstant = step === null;
  const read = stepSource(store, guard, opened);
  const told = new Set<string>(question.infos);
  const source = withEscapedNames(read, { names, guard, tell: (info) => told.add(info) });
  const asOf = lookbackMs === null ? settings : { ...settings, lookbackMs };
  const asked = { text, expression, frame, end, isInstant, guard, source, settings: asOf };
  const ran = await endedByFailure(guard, runPromql(asked));
  const { value } = ran;
  const result = told.size === 0 ? ran : { ...ran, infos: [...told, ...ran.infos] };
  if (value.kind === 'vector' || value.kind === 'matrix') {
    await value.labels.pack(guard);
  }
  const printRows = store.printSteps.bind(store);
  const figures = {
    waited: (beganAt - askedAt) / 1000,
    evaluated: (performance.now() - beganAt) / 1000,
    samples: guard.samples,
  };
  const stats = wantsStats ? figures : null;
  return printAnswer({ result, frame, isInstant, limit, printRows, stats, guard });
}

async function isCounter(store: SeriesStore, metric: string): Promise<boolean> {
  const asked = { prefix: metric, labels: undefined, limit: 1 };
  const text = await textOf(findMetrics(store, asked));
  const [found] = JSON.parse(text) as readonly {
    readonly metric?: string;
    readonly kind?: string;
  }[];
  return found?.metric === metric && found.kind === 'counter';
}

/** Cancels the remaining reads of a failed query. */
async function endedByFailure<Result>(guard: Guard, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    guard.cancel();
    throw error;
  }
}

/** Null: the names of a selection are several, or not known. */
function onlyName(of: StepQuery['of']): string | null {
  if (!('names' in of) || !Array.isArray(of.names)) return null;
  const [name, ...more] = of.names as readonly string[];
  return name === undefined || more.length > 0 ? null : name;
}

interface Escaping {
  readonly names: EscapedNames;
  readonly guard: Guard;
  readonly tell: (info: string) => void;
}

/** A name that nothing is stored under is read as the one metric that becomes it under escaping. */
function withEscapedNames(source: StepSource, { names, guard, tell }: Escaping): StepSource {
  const read: StepSource['read'] = async (query, cells) => {
    const table = await source.read(query, cells);
    const name = table.rowCount > 0 ? null : onlyName(query.of);
    if (name === null || 'rowCount' in query.of || !names.mayBeEscaped(name)) return table;
    const found = await guard.during(names.find(name), () => undefined);
    if (found?.length === 0) return table;
    tell(toldOfEscaped(name, found));
    if (found?.length !== 1) return table;
    return source.read({ ...query, of: { ...query.of, names: found } }, cells);
  };
  return { ...source, read };
}

/** What reads samples for a query. `opened` is its first read, which has begun. */
export function stepSource(
  store: SeriesStore,
  guard: Guard,
  opened: OpenedSteps | null = null,
): StepSource {
  const reads = new StepReads(store, guard, opened);
  return {
    folds: true,
    isCounter: (metric) => isCounter(store, metric),
    select: (matchers) => resolveMatchers(store, matchers, guard),
    read: (query, cells) => reads.read(query, cells),
  };
}
