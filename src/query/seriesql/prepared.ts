/**
 * Turns a text into its plan, with caches: dashboards repeat queries, or change only host and hour.
 *
 * Cached plans depend on the text alone, so data, clock and settings cannot invalidate them. The
 * caches hold the tree of a SELECT, and its plan if it does not use `now()`. Keyed by the text
 * around FROM and WHERE, they also hold the parts of a plan that depend on neither. The engine's
 * compiled form is kept with the plan; the engine keeps it valid.
 */

import { parseRead, parseStatement, type ReadNode } from './language/parser.js';
import { QueryText } from './language/query-text.js';
import { planLike, planStatement } from './plan/planner.js';

import { StatementPatterns, type Around } from './statement-patterns.js';

import type { DatabaseTime, TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { SelectNode, Statement } from './language/ast.js';
import type { CheckContext } from './plan/check/place.js';
import type { Evaluator } from './plan/evaluate.js';
import type { StatementPlan } from './plan/plan.js';
import type { SelectShape } from './plan/select-shape.js';
import type { CompiledQuery, FallbackReason } from './execute/compiled-engine.js';

/** The longest text in the caches, in characters. */
export const kTextSizeMax = 2048;
const kTextsMax = 256;

/** A plan and its compiled form. */
export interface Prepared {
  readonly plan: StatementPlan;
  /** Null until an engine is asked. */
  compiled: CompiledQuery | FallbackReason | null;
  /** A plan that differs only in its reads. */
  readonly like: Prepared | null;
}

export interface Parsed {
  readonly source: QueryText;
  /** If there is a pattern, every clause except FROM and WHERE is the pattern's. */
  readonly statement: Statement;
  readonly pattern: PreparedPattern | null;
  /** Null until there is a plan that does not depend on the clock. */
  prepared: Prepared | null;
}

/** The results for a SELECT, for reuse by statements that differ only in FROM and WHERE. */
interface PreparedPattern {
  readonly statement: SelectNode;
  readonly shape: SelectShape;
  readonly prepared: Prepared;
}

export interface Preparation {
  readonly unit: TimestampUnit;
  /** Few statements ask for it. */
  readonly now: DatabaseTime;
  readonly evaluator: Evaluator;
  readonly foreignFunction?: CheckContext['foreignFunction'];
  readonly labelKeys?: CheckContext['labelKeys'];
}

/** For one database, its engine and one zone: a plan depends on unit and zone. */
export class PreparedStatements {
  readonly #zone: string | undefined;
  /** In order of use; the most recent is last. */
  readonly #known = new Map<string, Parsed>();
  /** Texts asked once. Their trees are not kept, to avoid long-lived garbage. */
  #seen = new Set<string>();
  /** The previous generation of `#seen`. Dropping it whole avoids evicting single texts. */
  #seenBefore = new Set<string>();
  readonly #patterns = new StatementPatterns<PreparedPattern>();

  /** `zone`: the zone of times written without one; the default is UTC. */
  constructor(zone?: string) {
    this.#zone = zone;
  }

  /** Throws `parse_failed`, `query_required` or an `unsupported_…`. */
  parse(text: string): Parsed {
    const known = recalled(this.#known, text);
    if (known !== null) return known;
    const source = new QueryText(text, this.#zone);
    const isKept = text.length <= kTextSizeMax;
    const parsed = (isKept ? this.#parsedAsKnown(source) : null) ?? parsedWhole(source);
    if (parsed.statement.kind !== 'select' || !isKept) return parsed;
    if (this.#wasSeen(text)) {
      this.#known.set(text, parsed);
      trim(this.#known);
    }
    return parsed;
  }

  /** Uses a pattern and parses only FROM and WHERE; null if no pattern fits. */
  #parsedAsKnown(source: QueryText): Parsed | null {
    const found = this.#patterns.find(source.text);
    const read = found === null ? null : parseRead(source, found.span);
    if (found === null || read === null) return null;
    const { value: pattern } = found;
    return { source, statement: reading(pattern.statement, read), pattern, prepared: null };
  }

  /** False on the first call for a text. */
  #wasSeen(text: string): boolean {
    if (this.#seen.delete(text) || this.#seenBefore.delete(text)) return true;
    if (this.#seen.size === kTextsMax) {
      this.#seenBefore = this.#seen;
      this.#seen = new Set();
    }
    this.#seen.add(text);
    return false;
  }

  /** Throws `validation_failed`, or an `unsupported_…` if no engine can run it. */
  plan(parsed: Parsed, moment: Preparation): Prepared {
    return parsed.prepared ?? this.#planAsKnown(parsed, moment) ?? this.#planWhole(parsed, moment);
  }

  #planAsKnown(parsed: Parsed, moment: Preparation): Prepared | null {
    const { source, statement, pattern } = parsed;
    if (pattern === null || statement.kind !== 'select') return null;
    const context = new CheckMoment(source, moment);
    const plan = planLike(statement, context, pattern.shape);
    if (plan === null) return null;
    const prepared = { plan, compiled: null, like: pattern.prepared };
    if (context.nowCount === 0) parsed.prepared = prepared;
    return prepared;
  }

  #planWhole(parsed: Parsed, moment: Preparation): Prepared {
    const { source, pattern } = parsed;
    const statement = pattern === null ? parsed.statement : parseStatement(source);
    const context = new CheckMoment(source, moment);
    const around = aroundOf(source, statement);
    const known = around === null ? null : this.#patterns.get(around);
    const made: SelectShape[] = [];
    const plan = planStatement(statement, context, {
      known: known?.shape ?? null,
      note: (shape) => made.push(shape),
    });
    const isLike = plan.kind === 'select' && plan.shape === known?.shape.plan.shape;
    const prepared = { plan, compiled: null, like: isLike ? known.prepared : null };
    const [shape] = made;
    if (shape !== undefined && around !== null && statement.kind === 'select') {
      this.#patterns.add(around, { statement, shape, prepared });
    }
    if (context.nowCount === 0) parsed.prepared = prepared;
    return prepared;
  }

  get size(): number {
    return this.#known.size;
  }
}

/** Written out, because an object made with spreads gets a new hidden class each time. */
function reading(statement: SelectNode, { from, where }: ReadNode): SelectNode {
  const { kind, span, items, groupBy, fill, having, orderBy, limit, offset } = statement;
  return { kind, span, items, from, where, groupBy, fill, having, orderBy, limit, offset };
}

function parsedWhole(source: QueryText): Parsed {
  return { source, statement: parseStatement(source), pattern: null, prepared: null };
}

/** Reads the clock once, and counts the reads of `now`. */
class CheckMoment implements CheckContext {
  readonly source: QueryText;
  readonly unit: TimestampUnit;
  readonly #moment: Preparation;
  #now: DatabaseTime | null = null;
  nowCount = 0;

  constructor(source: QueryText, moment: Preparation) {
    this.source = source;
    this.unit = moment.unit;
    this.#moment = moment;
  }

  get evaluator(): Evaluator {
    return this.#moment.evaluator;
  }

  get foreignFunction(): CheckContext['foreignFunction'] {
    return this.#moment.foreignFunction;
  }

  get labelKeys(): CheckContext['labelKeys'] {
    return this.#moment.labelKeys;
  }

  get now(): DatabaseTime {
    this.nowCount += 1;
    return (this.#now ??= this.#moment.now);
  }
}

/** The text around FROM and WHERE; null if it is not kept. */
function aroundOf({ text }: QueryText, statement: Statement): Around | null {
  if (statement.kind !== 'select' || statement.from === null) return null;
  if (text.length > kTextSizeMax) return null;
  const { from, where } = statement;
  const { end } = where?.span ?? from.span;
  return { head: text.slice(0, from.span.start), tail: text.slice(end) };
}

/** The value of the key, which becomes the most recent; null if there is none. */
function recalled<Value>(kept: Map<string, Value>, key: string): Value | null {
  const value = kept.get(key);
  if (value === undefined) return null;
  kept.delete(key);
  kept.set(key, value);
  return value;
}

/** Evicts the oldest entry if there are too many. */
function trim(texts: Map<string, unknown>): void {
  if (texts.size <= kTextsMax) return;
  const [oldest = ''] = texts.keys();
  texts.delete(oldest);
}
