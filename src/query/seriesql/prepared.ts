/**
 * From a text to its plan, with a memory: dashboards ask the same again and again, or the same of
 * another host and hour. Plans that are kept follow from the text alone, so that neither data nor
 * clock nor settings can make them wrong: the tree of a SELECT, its plan where nothing in it is
 * `now()`, and by the text around FROM and WHERE what a plan has that does not come of these two.
 * Beside a plan stands what an engine made of it, which is that engine's to keep right.
 */

import { parseRead, parseStatement, type ReadNode } from './language/parser.js';
import { QueryText } from './language/query-text.js';
import { planLike, planStatement } from './plan/planner.js';

import { StatementPatterns, type Around } from './statement-patterns.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { SelectNode, Statement } from './language/ast.js';
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
  /** Where there is a pattern, all but FROM and WHERE is of the statement that it is of. */
  readonly statement: Statement;
  readonly pattern: Pattern | null;
  /** Null until there is a plan that is the same at all times. */
  prepared: Prepared | null;
}

/** What a SELECT became, for those that differ from it in FROM and WHERE alone. */
interface Pattern {
  readonly statement: SelectNode;
  readonly shape: SelectShape;
  readonly prepared: Prepared;
}

export interface Preparation {
  readonly unit: TimestampUnit;
  /** In that unit. Hardly any statement asks for it. */
  readonly now: bigint;
  readonly evaluator: Evaluator;
  readonly foreignFunction?: CheckContext['foreignFunction'];
}

/** For one database, its engine and one zone: unit and zone are part of a plan. */
export class PreparedStatements {
  readonly #zone: string | undefined;
  /** The one used last is the last. */
  readonly #known = new Map<string, Parsed>();
  /** Asked once. What is never asked again would only be garbage that lasts. */
  #seen = new Set<string>();
  /** Before those: so none has to be taken out by itself. */
  #seenBefore = new Set<string>();
  readonly #patterns = new StatementPatterns<Pattern>();

  /** `zone`: in which times are written that name none; UTC when left out. */
  constructor(zone?: string) {
    this.#zone = zone;
  }

  /** Throws `parse_failed`, `query_required`, `unsupported_…`. */
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

  /** By a pattern, of which only FROM and WHERE are parsed; null where there is none. */
  #parsedAsKnown(source: QueryText): Parsed | null {
    const found = this.#patterns.find(source.text);
    const read = found === null ? null : parseRead(source, found.span);
    if (found === null || read === null) return null;
    const { value: pattern } = found;
    return { source, statement: reading(pattern.statement, read), pattern, prepared: null };
  }

  /** False the first time. */
  #wasSeen(text: string): boolean {
    if (this.#seen.delete(text) || this.#seenBefore.delete(text)) return true;
    if (this.#seen.size === kTextsMax) {
      this.#seenBefore = this.#seen;
      this.#seen = new Set();
    }
    this.#seen.add(text);
    return false;
  }

  /** Throws `validation_failed`, or an `unsupported_…` for what no engine can run. */
  plan(parsed: Parsed, moment: Preparation): Prepared {
    return parsed.prepared ?? this.#planAsKnown(parsed, moment) ?? this.#planWhole(parsed, moment);
  }

  #planAsKnown(parsed: Parsed, moment: Preparation): Prepared | null {
    const { source, statement, pattern } = parsed;
    if (pattern === null || statement.kind !== 'select') return null;
    const context = new Moment(source, moment);
    const plan = planLike(statement, context, pattern.shape);
    if (plan === null) return null;
    const prepared = { plan, compiled: null, like: pattern.prepared };
    if (context.nowCount === 0) parsed.prepared = prepared;
    return prepared;
  }

  #planWhole(parsed: Parsed, moment: Preparation): Prepared {
    const { source, pattern } = parsed;
    const statement = pattern === null ? parsed.statement : parseStatement(source);
    const context = new Moment(source, moment);
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

/** Of members put together by spreads the compiler would make a hidden class anew each time. */
function reading(statement: SelectNode, { from, where }: ReadNode): SelectNode {
  const { kind, span, items, groupBy, fill, having, orderBy, limit, offset } = statement;
  return { kind, span, items, from, where, groupBy, fill, having, orderBy, limit, offset };
}

function parsedWhole(source: QueryText): Parsed {
  return { source, statement: parseStatement(source), pattern: null, prepared: null };
}

/** Reads the clock once, and counts how often it is asked. */
class Moment implements CheckContext {
  readonly source: QueryText;
  readonly unit: TimestampUnit;
  readonly #moment: Preparation;
  #now: bigint | null = null;
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

  get now(): bigint {
    this.nowCount += 1;
    return (this.#now ??= this.#moment.now);
  }
}

/** The text around FROM and WHERE; null where nothing is kept. */
function aroundOf({ text }: QueryText, statement: Statement): Around | null {
  if (statement.kind !== 'select' || statement.from === null) return null;
  if (text.length > kTextSizeMax) return null;
  const { from, where } = statement;
  const { end } = where?.span ?? from.span;
  return { head: text.slice(0, from.span.start), tail: text.slice(end) };
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
function trim(texts: Map<string, unknown>): void {
  if (texts.size <= kTextsMax) return;
  const [oldest = ''] = texts.keys();
  texts.delete(oldest);
}
