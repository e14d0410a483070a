/** PromQL queries: from one text to an answer in the format of Prometheus' API. */

import { milliseconds, type Milliseconds } from '../common/model/timestamp-unit.js';
import { wholeLeafOf } from '../query/promql/evaluate/whole-leaf.js';
import { functionTable } from '../query/promql/functions/function-table.js';
import { parsePromql } from '../query/promql/parse.js';
import { printAnswer, rowsText } from '../query/promql/result/api-json.js';
import { runPromql, type PromqlSettings } from '../query/promql/run-promql.js';
import { StepReads, stepLimits } from '../query/promql/vectors/step-reads.js';
import { findMetrics } from './discovery.js';
import { toldOfEscaped, toldOfNear, type EscapedNames } from './names/escaped-names.js';
import { listFilter, resolveMatchers } from './series-matchers.js';
import { textOf } from './byte-streams.js';

import type { PromqlExpression } from '../query/promql/syntax/ast.js';
import type { StepSource } from '../query/promql/vectors/context.js';
import type { StepFrame } from '../query/promql/vectors/value.js';
import type { Guard, QueryLimits } from '../query/limits/guard.js';
import type { ByteStream, OpenedSteps, SeriesStore, StepQuery } from '../storage/storage.js';

export interface PromqlQuestion {
  readonly text: string;
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  /** Null: an instant query at `start`. */
  readonly step: Milliseconds | null;
  /** The lookback of this query; null means the setting. */
  readonly lookbackMs: Milliseconds | null;
  /** The timeout of this query; the setting limits it, too. Null means only the setting. */
  readonly timeoutMs: Milliseconds | null;
  /** The most series in the answer; 0 means all. */
  readonly limit: number;
  /** True to include statistics in the answer. */
  readonly wantsStats: boolean;
  /** Notes about the request, for `infos` in the answer. */
  readonly infos: readonly string[];
}

/** A parsed question. */
interface ReadQuestion {
  readonly question: PromqlQuestion;
  readonly expression: PromqlExpression;
  readonly frame: StepFrame;
  /** Milliseconds of performance.now(). */
  readonly askedAt: number;
}

/** A hint for SeriesQL statements that use a PromQL function. */
export function functionOfPromql(name: string): string | undefined {
  return functionTable.has(name) ? `PromQL has ${name}: ask /api/v1/query` : undefined;
}

/** The step of an instant query. Only a division needs it. */
const kInstantStepMs = milliseconds(1);

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
  /** The names of `store`. */
  readonly names: EscapedNames;
}

/**
 * Returns the complete answer if the addon has it at once. Otherwise it may return the only read of
 * the expression, already started. The caller must pass that read to answerPromql(). Null: no read
 * was started. Throws errors that end a query.
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
  return name !== null && names.mayMeanOther(name) ? null : rowsText(rows.text, isInstant);
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
  const source = withMeantNames(read, { names, guard, tell: (info) => told.add(info) });
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

/** The only metric name of a selection. Null if there are several or the name is unknown. */
function onlyName(of: StepQuery['of']): string | null {
  if (!('names' in of) || !Array.isArray(of.names)) return null;
  const [name, ...more] = of.names as readonly string[];
  return name === undefined || more.length > 0 ? null : name;
}

interface MeantNames {
  readonly names: EscapedNames;
  readonly guard: Guard;
  readonly tell: (info: string) => void;
}

/**
 * If nothing is stored under a name, reads the only metric whose escaped form is that name, or
 * tells of a similar one.
 */
function withMeantNames(source: StepSource, { names, guard, tell }: MeantNames): StepSource {
  const read: StepSource['read'] = async (query, cells) => {
    const table = await source.read(query, cells);
    const name = table.rowCount > 0 ? null : onlyName(query.of);
    if (name === null || 'rowCount' in query.of || !names.mayMeanOther(name)) return table;
    const { isStored, escaped } = await guard.during(names.find(name), () => undefined);
    if (isStored) return table;
    if (escaped?.length === 0) {
      const near = await guard.during(names.near(name), () => undefined);
      if (near !== undefined) tell(toldOfNear(name, near));
      return table;
    }
    tell(toldOfEscaped(name, escaped));
    if (escaped?.length !== 1) return table;
    return source.read({ ...query, of: { ...query.of, names: escaped } }, cells);
  };
  return { ...source, read };
}

/** The reader of a query's samples. `opened` is its first read, already started. */
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
