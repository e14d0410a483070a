/**
 * Checks names and types of expressions. A syntax tree becomes a typed expression with folded
 * constants, or the error `validation_failed` at its place.
 */

import { thrownMessage } from '../../../../common/errors/thrown-message.js';
import { fromNanoseconds, type Nanoseconds } from '../../../../common/model/timestamp-unit.js';
import { readTimestamp } from '../../language/time-literal.js';
import { kI64Max, kI64Min } from '../../../values/value.js';
import { kPatternWorkMax, patternWork } from '../../../values/pattern-work.js';
import { isNumeric, sharedType } from '../../functions/type-rules.js';

import { arithmeticType, operatorsOf, type Binary, type OpNode } from './arithmetic-row.js';
import { CallChecker } from './call-checker.js';
import { ErrorList } from './error-list.js';
import { ExprIds } from './expr-ids.js';
import { folded, literal, textWork } from './expr.js';
import { movedTime } from './moments.js';
import { resolveName } from './names.js';
import { Origins } from './origins.js';
import { named, type CheckContext, type ExpressionChecker, type ExprPlace } from './place.js';

import type { AppError } from '../../../../common/errors/app-error.js';
import type { Expression } from '../../language/ast.js';
import type { Span } from '../../language/query-text.js';
import type { StaticType } from '../../../values/value.js';
import type { Expr } from '../plan.js';
import type { Problem } from '../rules/rule.js';

/**
 * The most parts of a statement with aliases, positions and BETWEEN written out. Without them, no
 * text within its size limit comes near; with them, it could double at every step.
 */
export const kPartsMax = 65_536;
/** Texts and names count as one part more per this many characters. */
const kCharactersPerPart = 8;

const kJoinHint = 'join texts with concat(…)';

/** The most characters that functions over constants may read and write. */
const kTextWorkMax = 2 ** 20;

/** An operator of a row whose left side is checked, and the counts before the row. */
interface Begun {
  readonly node: OpNode;
  readonly left: Expr;
  readonly errors: number;
  readonly size: number;
}

export class Checker implements ExpressionChecker {
  readonly context: CheckContext;
  // Created on demand: most statements that resemble an earlier one need none of these.
  #ids: ExprIds | null = null;
  #calls: CallChecker | null = null;
  #patterns: Set<string> | null = null;
  readonly #origins = new Origins();
  readonly #errors = new ErrorList();
  /** True if an error concerns the whole statement: checking ends. */
  #isOver = false;
  #size = 0;
  #patternUses = 0;
  #patternWork = 0;
  #textWork = 0;

  constructor(context: CheckContext) {
    this.context = context;
  }

  get ids(): ExprIds {
    return (this.#ids ??= new ExprIds());
  }

  /**
   * Keeps errors for `settle`. A null literal replaces a wrong part; null fits every type, so it
   * causes no further errors.
   */
  check(node: Expression, place: ExprPlace): Expr {
    return this.#made(node, place, null);
  }

  /**
   * Checks the next operator of a row, or any node if `begun` is null. A statement has thousands of
   * nodes, so this avoids closures.
   */
  #made(node: Expression, place: ExprPlace, begun: Begun | null): Expr {
    const errors = begun?.errors ?? this.#errors.count;
    const size = begun?.size ?? this.#size;
    try {
      this.#enter(node);
      const built = begun === null ? this.#build(node, place) : this.#joined(begun, place);
      const { start } = node.span;
      const expr = this.#folded(built, start);
      this.#origins.note(expr, { start, size: this.#size - size });
      if (this.#errors.count === errors) return expr;
    } catch (error) {
      this.#keep(error, node.span);
    }
    return literal(null, 'null');
  }

  /** The result of `work`, or `instead` if that part of the text has an error. */
  attempt<Result>(span: Span, work: () => Result, instead: Result): Result {
    try {
      return work();
    } catch (error) {
      this.#keep(error, span);
      return instead;
    }
  }

  /** Keeps the problem that a rule found. */
  require(problem: Problem | null): void {
    if (problem === null) return;
    const { span, message, hint } = problem;
    this.#keep(this.fail(span.start, message, hint), span);
  }

  #keep(error: unknown, span: Span): void {
    if (this.#isOver) throw error;
    this.#errors.record(error, span);
  }

  /** Throws if there was any error so far. */
  settle(): void {
    this.#errors.settle();
  }

  /** The error to report if `last` ended the work. */
  allWith(last: unknown): unknown {
    return this.#errors.allWith(last);
  }

  #enter({ kind, span: { start, end } }: Expression): void {
    const isText = kind === 'string' || kind === 'name';
    this.#grow(isText ? 1 + Math.floor((end - start) / kCharactersPerPart) : 1, start);
  }

  #folded(built: Expr, offset: number): Expr {
    const expr = folded(built, this.context.evaluator);
    if (expr === built || expr.kind !== 'literal') return expr;
    this.#textWork += textWork(built) + (typeof expr.value === 'string' ? expr.value.length : 0);
    if (this.#textWork <= kTextWorkMax) return expr;
    throw this.failForGood(offset, 'the constants of this statement take too much work on text');
  }

  repeat(expr: Expr, offset: number): void {
    const size = expr.kind === 'literal' ? 1 : (this.#origins.of(expr)?.size ?? 1);
    this.#grow(size, offset);
  }

  /**
   * Grows with everything that is limited per statement, except parts. It counts uses of patterns,
   * repeated ones included, and work on texts.
   */
  get weight(): number {
    return this.#patternUses + this.#textWork;
  }

  /** The number of parts made so far. */
  get size(): number {
    return this.#size;
  }

  #grow(size: number, offset: number): void {
    this.#size += size;
    if (this.#size <= kPartsMax) return;
    const message = `the statement has more than ${kPartsMax} parts here`;
    throw this.failForGood(
      offset,
      message,
      'aliases, positions and between count as the expressions that they repeat',
    );
  }

  /** Checks the node and requires a boolean. */
  condition(node: Expression, place: ExprPlace, clause: string): Expr {
    const expr = this.check(node, place);
    if (expr.type === 'boolean' || expr.type === 'null') return expr;
    const message = `${clause} needs a condition, not ${named(expr.type)}`;
    const isJoined = clause === 'OR' && expr.type === 'string';
    const hint = isJoined ? { hint: kJoinHint } : {};
    this.require({ span: node.span, message, ...hint });
    return literal(null, 'null');
  }

  /** The offset of a checked expression in the text. */
  originOf(expr: Expr): number {
    return this.#origins.of(expr)?.start ?? 0;
  }

  fail(offset: number, message: string, hint?: string): AppError {
    return this.context.source.error('validation_failed', offset, { message, hint });
  }

  failForGood(offset: number, message: string, hint?: string): AppError {
    this.#isOver = true;
    return this.fail(offset, message, hint);
  }

  #build(node: Expression, place: ExprPlace): Expr {
    switch (node.kind) {
      case 'integer':
      case 'float':
      case 'string':
      case 'boolean':
        return literal(node.value, node.kind);
      case 'null':
        return literal(null, 'null');
      case 'duration':
        if (node.value.grain === 'months') {
          const hint = 'months and years have no fixed length; use d or w';
          const message = 'mo and y are allowed only in time_bucket and as in now() - 1y';
          throw this.fail(node.span.start, message, hint);
        }
        return this.#time(node.value.nanoseconds, 'duration', node.span.start);
      case 'timestamp':
        return this.#time(node.value, 'timestamp', node.span.start);
      case 'name':
        return resolveName(this, node, place);
      case 'call':
        return (this.#calls ??= new CallChecker(this)).check(node, place);
      case 'negate':
      case 'plus':
        return this.#sign(node, place);
      case 'not': {
        const operand = this.condition(node.operand, place, 'NOT');
        return { kind: 'not', operand, type: 'boolean', nullable: operand.nullable };
      }
      case 'and':
      case 'or': {
        const items = node.items.map((item) =>
          this.condition(item, place, node.kind.toUpperCase()),
        );
        const nullable = items.some((item) => item.nullable);
        return { kind: 'logical', op: node.kind, items, type: 'boolean', nullable };
      }
      default:
        return this.#operator(node, place);
    }
  }

  #operator(
    node: Extract<
      Expression,
      { kind: 'binary' | 'in' | 'between' | 'like' | 'isNull' | 'case' | 'cast' }
    >,
    place: ExprPlace,
  ): Expr {
    switch (node.kind) {
      case 'binary':
        return this.#binary(node, place);
      case 'in':
        return this.#in(node, place);
      case 'between':
        return this.#between(node, place);
      case 'like': {
        const operand = this.#text(node.operand, place, 'LIKE');
        const pattern = this.#text(node.pattern, place, 'LIKE');
        const nullable = operand.nullable || pattern.nullable;
        const { negated } = node;
        return { kind: 'like', operand, pattern, negated, type: 'boolean', nullable };
      }
      case 'isNull': {
        const operand = this.check(node.operand, place);
        const { negated } = node;
        return { kind: 'isNull', operand, negated, type: 'boolean', nullable: false };
      }
      case 'case':
        return this.#case(node, place);
      case 'cast':
        return this.#cast(node, place);
    }
  }

  /** Converts nanoseconds to the database's unit. */
  #time(nanoseconds: Nanoseconds, type: 'timestamp' | 'duration', offset: number): Expr {
    const value = fromNanoseconds(nanoseconds, this.context.unit);
    if (value < kI64Min || value > kI64Max) {
      const message = `this ${type} does not fit into 64 bits of ${this.context.unit}`;
      throw this.context.source.error('parse_failed', offset, { message });
    }
    return literal(value, type);
  }

  #sign(node: Extract<Expression, { kind: 'negate' | 'plus' }>, place: ExprPlace): Expr {
    const operand = this.check(node.operand, place);
    if (!isNumeric(operand.type) && operand.type !== 'null') {
      throw this.fail(node.operand.span.start, `a sign needs a number, not ${named(operand.type)}`);
    }
    if (node.kind === 'plus') return operand;
    const type = operand.type === 'timestamp' ? 'integer' : operand.type;
    const nullable = operand.nullable || type !== 'float';
    return { kind: 'negate', operand, type, nullable };
  }

  #binary(node: Binary, place: ExprPlace): Expr {
    const { op } = node;
    switch (op) {
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return this.#arithmetic({ ...node, op }, place);
      case '=~':
      case '!~': {
        const operand = this.#text(node.left, place, op);
        const pattern = this.pattern(node.right);
        const negated = op === '!~';
        return {
          kind: 'match',
          operand,
          pattern,
          negated,
          type: 'boolean',
          nullable: operand.nullable,
        };
      }
      default: {
        const [left, right] = this.comparable([node.left, node.right], place, node.opStart);
        const nullable = (left?.nullable ?? true) || (right?.nullable ?? true);
        const none = literal(null, 'null');
        const sides = { left: left ?? none, right: right ?? none };
        return { kind: 'compare', op, ...sides, type: 'boolean', nullable };
      }
    }
  }

  /** Checks the inner operators of a row first, in a loop instead of a recursion. */
  #arithmetic(outermost: OpNode, place: ExprPlace): Expr {
    const { first, inner } = operatorsOf(outermost);
    const before = { errors: this.#errors.count, size: this.#size };
    let left = this.check(first, place);
    for (const node of inner) left = this.#made(node, place, { ...before, node, left });
    return this.#joined({ node: outermost, left }, place);
  }

  #joined({ node, left }: Pick<Begun, 'node' | 'left'>, place: ExprPlace): Expr {
    const { op } = node;
    const moved = movedTime(node, left, this.context.unit);
    if (moved !== null) return moved;
    const right = this.check(node.right, place);
    for (const [side, at] of [
      [left, node.left],
      [right, node.right],
    ] as const) {
      if (isNumeric(side.type) || side.type === 'null') continue;
      const hint = side.type === 'string' ? kJoinHint : undefined;
      throw this.fail(at.span.start, `${op} needs numbers, not ${named(side.type)}`, hint);
    }
    const type = arithmeticType(op, left.type, right.type);
    return { kind: 'arithmetic', op, left, right, type, nullable: true };
  }

  /** Requires types that can be compared. Beside a time, a text is read as a time. */
  comparable(nodes: readonly Expression[], place: ExprPlace, offset: number): readonly Expr[] {
    const exprs = nodes.map((node) => this.check(node, place));
    const hasTime = exprs.some(({ type }) => type === 'timestamp');
    let shared: StaticType = 'null';
    const result = exprs.map((expr, at) => {
      const node = nodes[at];
      const isText = hasTime && node?.kind === 'string';
      return isText ? this.timeOfText(node.value, node.span.start) : expr;
    });
    for (const { type } of result) {
      const both = sharedType(shared, type);
      if (both === null) {
        const message = `${named(shared)} and ${named(type)} cannot be compared`;
        throw this.fail(offset, message);
      }
      shared = both;
    }
    return result;
  }

  timeOfText(text: string, offset: number): Expr {
    const nanoseconds = readTimestamp(text, this.context.source.zone);
    if (nanoseconds === null) {
      const hint = "times are written '2022-03-27' or '2022-03-27T10:00:00Z'";
      throw this.fail(offset, `this text is not a time`, hint);
    }
    return this.#time(nanoseconds, 'timestamp', offset);
  }

  #in(node: Extract<Expression, { kind: 'in' }>, place: ExprPlace): Expr {
    const nodes = [node.operand, ...node.items];
    const [operand = literal(null, 'null'), ...items] = this.comparable(
      nodes,
      place,
      node.span.start,
    );
    const nullable = operand.nullable || items.some((item) => item.nullable);
    return { kind: 'in', operand, items, negated: node.negated, type: 'boolean', nullable };
  }

  /** Rewrites `a between b and c` to `a >= b and a <= c`. */
  #between(node: Extract<Expression, { kind: 'between' }>, place: ExprPlace): Expr {
    const nodes = [node.operand, node.low, node.high];
    const none = literal(null, 'null');
    const [operand = none, low = none, high = none] = this.comparable(
      nodes,
      place,
      node.span.start,
    );
    this.repeat(operand, node.operand.span.start);
    const bound = (op: '>=' | '<=', right: Expr): Expr => {
      const nullable = operand.nullable || right.nullable;
      const compared: Expr = {
        kind: 'compare',
        op,
        left: operand,
        right,
        type: 'boolean',
        nullable,
      };
      return folded(compared, this.context.evaluator);
    };
    const items = [bound('>=', low), bound('<=', high)];
    const nullable = items.some((item) => item.nullable);
    const both: Expr = { kind: 'logical', op: 'and', items, type: 'boolean', nullable };
    if (!node.negated) return both;
    return { kind: 'not', operand: both, type: 'boolean', nullable };
  }

  #text(node: Expression, place: ExprPlace, operator: string): Expr {
    const expr = this.check(node, place);
    if (expr.type === 'string' || expr.type === 'null') return expr;
    const message = `${operator} needs text, not ${named(expr.type)}`;
    throw this.fail(node.span.start, message);
  }

  /** A pattern must be a constant text, since it is compiled once. */
  pattern(node: Expression): string {
    if (node.kind !== 'string') {
      throw this.fail(node.span.start, 'a regular expression must be a quoted string');
    }
    this.#countPattern(node.value, node.span.start);
    try {
      this.context.evaluator.pattern(node.value);
    } catch (error) {
      throw this.fail(node.span.start, `malformed regular expression: ${thrownMessage(error)}`);
    }
    return node.value;
  }

  #countPattern(pattern: string, offset: number): void {
    this.#patternUses += 1;
    const patterns = (this.#patterns ??= new Set());
    if (patterns.has(pattern)) return;
    patterns.add(pattern);
    this.#patternWork += patternWork(pattern);
    if (this.#patternWork <= kPatternWorkMax || patterns.size === 1) return;
    const message = 'the regular expressions of this statement are too large in total';
    throw this.failForGood(offset, message);
  }

  #case(node: Extract<Expression, { kind: 'case' }>, place: ExprPlace): Expr {
    const whens = node.branches.map(({ when }) => this.condition(when, place, 'WHEN'));
    const thens = node.branches.map(({ then }) => this.check(then, place));
    const otherwise =
      node.otherwise === null ? literal(null, 'null') : this.check(node.otherwise, place);
    const { type, exprs } = this.oneType([...thens, otherwise], node.span.start);
    const none = literal(null, 'null');
    const branches = whens.map((when, at) => ({ when, then: exprs[at] ?? none }));
    const nullable = exprs.some((expr) => expr.nullable);
    return { kind: 'case', branches, otherwise: exprs.at(-1) ?? none, type, nullable };
  }

  /** Gives expressions one type. Beside floats, integers become floats. */
  oneType(exprs: readonly Expr[], offset: number): { type: StaticType; exprs: readonly Expr[] } {
    let type: StaticType = 'null';
    for (const expr of exprs) {
      const both = sharedType(type, expr.type);
      if (both === null) {
        const message = `the results have different types: ${named(type)} and ${named(expr.type)}`;
        throw this.fail(offset, message, 'use cast(… as string) to give them one type');
      }
      type = both;
    }
    return { type, exprs: exprs.map((expr) => (type === 'float' ? this.asFloat(expr) : expr)) };
  }

  asFloat(expr: Expr): Expr {
    if (expr.type === 'float' || expr.type === 'null') return expr;
    const { nullable } = expr;
    const cast: Expr = { kind: 'cast', operand: expr, target: 'float', type: 'float', nullable };
    return folded(cast, this.context.evaluator);
  }

  #cast(node: Extract<Expression, { kind: 'cast' }>, place: ExprPlace): Expr {
    const operand = this.check(node.operand, place);
    const { target } = node;
    const isSafe =
      target === 'string' ||
      operand.type === target ||
      (target === 'float' && isNumeric(operand.type));
    return { kind: 'cast', operand, target, type: target, nullable: operand.nullable || !isSafe };
  }
}
