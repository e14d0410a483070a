/**
 * From a text to its plan, with a memory: dashboards ask the same again and again, or the same of
 * another host and hour. Plans that are kept follow from the text alone, so that neither data nor
 * clock nor settings can make them wrong: the tree of a SELECT, its plan where nothing in it is
 * `now()`, and by the text around FROM and WHERE what a plan has that does not come of these two.
 * Beside a plan stands what an engine made of it, which is that engine's to keep right.
 */

import { parseStatement } from './language/parser.js';
import { QueryText } from './language/query-text.js';
import { planStatement } from './plan/planner.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Statement } from './language/ast.js';
import type { CheckContext } from './plan/check/place.js';
import type { Evaluator } from './plan/evaluate.js';
import type { Plan } from './plan/plan.js';
import type { SelectShape } from './plan/select-shape.js';
import type { CompiledQuery, FallbackReason } from './execute/compiled-engine.js';

/** Longer texts are not kept. */
export const kTextSizeMax = 2048;
const kTextsMax = 256;

/** A plan, and what an engine made of it. */
export interface Prepared {
  readonly plan: Plan;
  /** Null until it is asked. */
  compiled: CompiledQuery | FallbackReason | null;
  /** One that differs from it in what is read alone. */
  readonly like: Prepared | null;
}

export interface Parsed {
  readonly source: QueryText;
  readonly statement: Statement;
  /** Null until there is a plan that is the same at all times. */
  prepared: Prepared | null;
}

/** What a SELECT became, for those that differ from it in FROM and WHERE alone. */
interface Pattern {
  readonly shape: SelectShape;
  readonly prepared: Prepared;
}

interface Preparation {
  readonly unit: TimestampUnit;
  /** In that unit. */
  readonly now: bigint;
  readonly evaluator: Evaluator;
}

/** For one database and its engine: the unit is part of a plan. */
export class PreparedStatements {
  /** The one used last is the last. */
  readonly #known = new Map<string, Parsed>();
  /** Asked once. What is never asked again would only be garbage that lasts. */
  readonly #seen = new Set<string>();
  /** By the text around FROM and WHERE. The one used last is the last. */
  readonly #patterns = new Map<string, Pattern>();

  /** Throws `parse_failed`, `query_required`, `unsupported_…`. */
  parse(text: string): Parsed {
    const known = recalled(this.#known, text);
    if (known !== null) return known;
    const source = new QueryText(text);
    const parsed = { source, statement: parseStatement(source), prepared: null };
    if (parsed.statement.kind !== 'select' || text.length > kTextSizeMax) return parsed;
    if (this.#seen.delete(text)) {
      this.#known.set(text, parsed);
      trim(this.#known);
    } else {
      this.#seen.add(text);
      trim(this.#seen);
    }
    return parsed;
  }

  /** Throws `validation_failed`, or an `unsupported_…` for what no engine can run. */
  plan(parsed: Parsed, moment: Preparation): Prepared {
    if (parsed.prepared !== null) return parsed.prepared;
    const clock = { readCount: 0 };
    const key = patternOf(parsed);
    const known = key === null ? null : recalled(this.#patterns, key);
    const made: SelectShape[] = [];
    const plan = planStatement(parsed.statement, contextOf(parsed.source, moment, clock), {
      known: known?.shape ?? null,
      note: (shape) => made.push(shape),
    });
    const isLike = plan.kind === 'select' && plan.shape === known?.shape.plan.shape;
    const prepared = { plan, compiled: null, like: isLike ? known.prepared : null };
    const [shape] = made;
    if (shape !== undefined && key !== null) {
      this.#patterns.set(key, { shape, prepared });
      trim(this.#patterns);
    }
    if (clock.readCount === 0) parsed.prepared = prepared;
    return prepared;
  }

  get size(): number {
    return this.#known.size;
  }
}

function contextOf(
  source: QueryText,
  { now, ...moment }: Preparation,
  clock: { readCount: number },
): CheckContext {
  return {
    source,
    ...moment,
    get now() {
      clock.readCount += 1;
      return now;
    },
    get nowCount() {
      return clock.readCount;
    },
  };
}

/** The text around FROM and WHERE; null where nothing is kept. */
function patternOf({ source: { text }, statement }: Parsed): string | null {
  if (statement.kind !== 'select' || statement.from === null) return null;
  if (text.length > kTextSizeMax) return null;
  const { from, where } = statement;
  const end = where === null ? from.span.end : where.span.end;
  return `${text.slice(0, from.span.start)}\n${text.slice(end)}`;
}

/** What is kept under the key, and is now the last. */
function recalled<Value>(kept: Map<string, Value>, key: string): Value | null {
  const value = kept.get(key);
  if (value === undefined) return null;
  kept.delete(key);
  kept.set(key, value);
  return value;
}

/** The oldest goes. */
function trim(texts: Map<string, unknown> | Set<string>): void {
  if (texts.size <= kTextsMax) return;
  const [oldest = ''] = texts.keys();
  texts.delete(oldest);
}
