/**
 * Parses expressions by binding power: an operand, then every operator that binds at least as
 * tightly as the floor. Rows of `and` and `or` become one flat node.
 */

import { beginningOf } from '../../../common/model/visible-text.js';
import { isZone, kNoZone, zoneHint } from '../../../common/model/zone.js';

import { durationOfInterval, foreign } from './foreign.js';
import { readDuration, readTimestamp, readTimestampIn } from './time-literal.js';
import { reservedWords } from './token.js';

import type { BinaryOperator, Expression, NamePart } from './ast.js';
import type { TokenCursor } from './cursor.js';
import type { Token } from './token.js';

/** The binding power of operators; a higher number binds first. */
const kOr = 1;
const kAnd = 2;
const kNot = 3;
const kComparison = 4;
const kAdditive = 5;
const kMultiplicative = 6;

/** The power of each token that may follow an operand. */
const powers: ReadonlyMap<string, number> = new Map([
  ...['or', '||'].map((known) => [known, kOr] as const),
  ...['and', '&&'].map((known) => [known, kAnd] as const),
  ...'= != <> < <= > >= =~ !~ not in between like is'
    .split(' ')
    .map((known) => [known, kComparison] as const),
  ...['+', '-'].map((known) => [known, kAdditive] as const),
  ...['*', '/', '%'].map((known) => [known, kMultiplicative] as const),
]);

/** Deeper trees would exhaust the stack of recursive walkers. */
const kDepthMax = 500;
/**
 * The most operators in a row such as `a + b - c`. Every walker loops over a row. PromQL has the
 * same limit.
 */
const kRowMax = 4096;
/** 2^63 is a valid literal only after a minus. */
const kIntegerMax = 2n ** 63n;

export class ExpressionParser {
  readonly #cursor: TokenCursor;
  /** The depth of the expression parsed last. */
  #depth = 0;
  /**
   * Per arithmetic node: the number of operators in its row, and the depth of the deepest operand.
   */
  readonly #rows = new WeakMap<Expression, { readonly count: number; readonly inner: number }>();

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
  }

  /**
   * expr = conjunction { ( "OR" | "||" ) conjunction } ;
   * conjunction = negation { ( "AND" | "&&" ) negation } ;
   * negation = "NOT" negation | comparison ;
   * comparison = sum { operator sum | predicate } ;
   * sum = product { ( "+" | "-" ) product } ;
   * product = sign { ( "*" | "/" | "%" ) sign } ;
   *
   * The floor, the least binding power of an operator, selects the first rule. Throws
   * `parse_failed`.
   */
  parse(floor = kOr): Expression {
    let left = this.#prefix(floor);
    for (;;) {
      const next = this.#operator(left, floor);
      if (next === null) return left;
      left = next;
    }
  }

  /**
   * list = "(" expr { "," expr } ")" ;
   *
   * `beside` is the depth of the sibling parts so far.
   */
  list(beside = 0): readonly Expression[] {
    const cursor = this.#cursor;
    cursor.expectSymbol('(');
    this.#refuseSubquery();
    const items = cursor.nested(() => {
      const found = [this.#beside(beside)];
      while (cursor.takeSymbol(',')) found.push(this.#beside(this.#depth));
      return found;
    });
    cursor.expectSymbol(')');
    return items;
  }

  /** Sets `#depth`. `inner` is the depth of the deepest part. */
  #made(expression: Expression, inner: number): Expression {
    if (inner >= kDepthMax) {
      throw this.#cursor.fail(
        expression.span.start,
        `operators are nested more than ${kDepthMax} levels deep here`,
      );
    }
    this.#depth = inner + 1;
    return expression;
  }

  /** Parses a part beside siblings of depth `beside`. `#depth` becomes the maximum of both. */
  #beside(beside: number, floor = kOr): Expression {
    const parsed = this.parse(floor);
    this.#depth = Math.max(this.#depth, beside);
    return parsed;
  }

  #prefix(floor: number): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    this.#depth = 0;
    if (cursor.isWord('not')) {
      if (floor > kNot) throw cursor.expected('an expression', [], 'put not (…) in parentheses');
      cursor.take();
      const operand = cursor.nested(() => this.parse(kNot));
      return this.#made({ kind: 'not', operand, span: cursor.spanFrom(start) }, this.#depth);
    }
    return this.#unary();
  }

  /** sign = ( "-" | "+" ) sign | primary ; */
  #unary(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (cursor.takeSymbol('-')) {
      if (cursor.peek().kind === 'integer') return this.#integer(start, 'negative');
      const operand = cursor.nested(() => this.#unary());
      return this.#made({ kind: 'negate', operand, span: cursor.spanFrom(start) }, this.#depth);
    }
    if (cursor.takeSymbol('+')) {
      const operand = cursor.nested(() => this.#unary());
      return this.#made({ kind: 'plus', operand, span: cursor.spanFrom(start) }, this.#depth);
    }
    const operand = this.#primary();
    if (operand.kind !== 'string' && this.#isZoneNext()) throw this.#zoneOfNoText();
    return operand;
  }

  /** The next operator with its right side, or null if it binds less tightly than `floor`. */
  #operator(left: Expression, floor: number): Expression | null {
    const token = this.#cursor.peek();
    const power = powers.get(token.known);
    if (power === undefined || power < floor) return null;
    if (power === kOr) return this.#logical(left, 'or');
    if (power === kAnd) return this.#logical(left, 'and');
    return token.kind === 'word' ? this.#predicate(left) : this.#binary(left, power);
  }

  #logical(first: Expression, kind: 'and' | 'or'): Expression {
    const cursor = this.#cursor;
    const symbol = kind === 'and' ? '&&' : '||';
    const items = [first];
    while (cursor.takeSymbol(symbol) || cursor.takeWord(kind)) {
      items.push(this.#beside(this.#depth, kind === 'and' ? kAnd + 1 : kOr + 1));
    }
    return this.#made({ kind, items, span: cursor.spanFrom(first.span.start) }, this.#depth);
  }

  /** operator = "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "=~" | "!~" ; */
  #binary(left: Expression, power: number): Expression {
    const cursor = this.#cursor;
    const operator = cursor.take();
    if (operator.text === '=' && cursor.isSymbol('=')) {
      throw cursor.expected('an expression', [], 'equality is written with one =');
    }
    const before = this.#depth;
    const right = this.parse(power + 1);
    const op = (operator.text === '<>' ? '!=' : operator.text) as BinaryOperator;
    const span = cursor.spanFrom(left.span.start);
    const opStart = operator.start;
    const made: Expression = { kind: 'binary', op, opStart, left, right, span };
    if (power < kAdditive) return this.#made(made, Math.max(before, this.#depth));
    const row = this.#rows.get(left);
    const inner = Math.max(row?.inner ?? before, this.#depth);
    return this.#inRow(made, { count: (row?.count ?? 0) + 1, inner });
  }

  /** A row is one level deeper than its deepest operand. */
  #inRow(made: Expression, row: { readonly count: number; readonly inner: number }): Expression {
    const { count, inner } = row;
    if (count > kRowMax) {
      throw this.#cursor.fail(made.span.start, `more than ${kRowMax} operators in one row here`);
    }
    this.#rows.set(made, row);
    return this.#made(made, inner);
  }

  /**
   * predicate = "IS" [ "NOT" ] "NULL"
   *   | [ "NOT" ] ( "IN" list | "BETWEEN" sum "AND" sum | "LIKE" sum ) ;
   */
  #predicate(operand: Expression): Expression {
    const cursor = this.#cursor;
    const { start } = operand.span;
    if (cursor.takeWord('is')) {
      const negated = cursor.takeWord('not');
      cursor.expectWord('null');
      const span = cursor.spanFrom(start);
      return this.#made({ kind: 'isNull', operand, negated, span }, this.#depth);
    }
    const negated = cursor.takeWord('not');
    if (cursor.takeWord('in')) {
      const items = this.list(this.#depth);
      const span = cursor.spanFrom(start);
      return this.#made({ kind: 'in', operand, items, negated, span }, this.#depth);
    }
    if (cursor.takeWord('between')) {
      const low = this.#beside(this.#depth, kAdditive);
      cursor.expectWord('and');
      const high = this.#beside(this.#depth, kAdditive);
      const span = cursor.spanFrom(start);
      return this.#made({ kind: 'between', operand, low, high, negated, span }, this.#depth);
    }
    if (!cursor.takeWord('like')) throw cursor.expected('in, between or like');
    const pattern = this.#beside(this.#depth, kAdditive);
    const span = cursor.spanFrom(start);
    return this.#made({ kind: 'like', operand, pattern, negated, span }, this.#depth);
  }

  /**
   * primary = int | float | duration | ( string | timestamp ) [ zone ] | "TRUE" | "FALSE" | "NULL"
   *   | case | cast | call | path | "(" expr ")" ;
   */
  #primary(): Expression {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const { start } = token;
    switch (token.kind) {
      case 'integer':
        return this.#integer(start, 'positive');
      case 'float':
        return this.#float();
      case 'string':
        cursor.take();
        if (this.#isZoneNext()) return this.#inZone(token);
        return { kind: 'string', value: token.text, span: cursor.spanFrom(start) };
      case 'duration':
        return this.#duration();
      case 'timestamp':
        return this.#timestamp();
      case 'word':
      case 'quoted':
        return this.#wordPrimary();
      default:
        if (!cursor.takeSymbol('(')) throw cursor.expected('an expression');
    }
    this.#refuseSubquery();
    const inner = cursor.nested(() => this.parse());
    cursor.expectSymbol(')');
    return inner;
  }

  #refuseSubquery(): void {
    const cursor = this.#cursor;
    if (!cursor.isWord('select')) return;
    const { start } = cursor.peek();
    throw cursor.source.error('unsupported_statement', start, {
      message: 'there are no subqueries',
    });
  }

  #integer(start: number, sign: 'positive' | 'negative'): Expression {
    const isNegative = sign === 'negative';
    const token = this.#cursor.take();
    const digits = token.text.replace(/^0+(?=[0-9])/, '');
    const value = digits.length > 19 ? kIntegerMax + 1n : BigInt(digits);
    if (value > kIntegerMax - (isNegative ? 0n : 1n)) {
      throw this.#cursor.fail(token.start, 'this integer does not fit into 64 bits');
    }
    const span = this.#cursor.spanFrom(start);
    return { kind: 'integer', value: isNegative ? -value : value, span };
  }

  #float(): Expression {
    const token = this.#cursor.take();
    const value = Number(token.text);
    if (!Number.isFinite(value)) {
      throw this.#cursor.fail(token.start, 'this number is too large for a float');
    }
    return { kind: 'float', value, span: this.#cursor.spanFrom(token.start) };
  }

  #duration(): Expression {
    const token = this.#cursor.take();
    const value = readDuration(token.text);
    if (value === null) {
      const hint = 'mo and y stand alone and without fractions; others must fit into 64 bits';
      throw this.#cursor.fail(
        token.start,
        `malformed duration ${beginningOf(token.text, 40)}`,
        hint,
      );
    }
    return { kind: 'duration', value, span: this.#cursor.spanFrom(token.start) };
  }

  #timestamp(): Expression {
    const token = this.#cursor.take();
    if (this.#isZoneNext()) return this.#inZone(token);
    const value = readTimestamp(token.text, this.#cursor.source.zone);
    if (value === null) {
      const hint = 'dates are written 2022-03-27 or 2022-03-27T10:00:00Z';
      throw this.#cursor.fail(token.start, `no such date: ${beginningOf(token.text, 40)}`, hint);
    }
    return { kind: 'timestamp', value, span: this.#cursor.spanFrom(token.start) };
  }

  #isZoneNext(): boolean {
    const cursor = this.#cursor;
    return cursor.isWord('at') && cursor.isWord('time', 1) && cursor.isWord('zone', 2);
  }

  /** zone = "AT" "TIME" "ZONE" string ; */
  #inZone({ text, start }: Token): Expression {
    const cursor = this.#cursor;
    for (const word of ['at', 'time', 'zone']) cursor.expectWord(word);
    const zone = cursor.peek();
    if (zone.kind !== 'string' || !isZone(zone.text)) {
      const name = zone.kind === 'string' ? zone.text : '';
      throw cursor.fail(zone.start, kNoZone, zoneHint(name, "'"));
    }
    cursor.take();
    const value = readTimestampIn(zone.text, text);
    if (value === null) {
      const hint = "write '2022-03-27 10:00' at time zone 'Europe/Berlin'";
      throw cursor.fail(start, 'this is no time without a zone', hint);
    }
    return { kind: 'timestamp', value, span: cursor.spanFrom(start) };
  }

  /**
   * PostgreSQL converts a column to a zone. Here times are instants, and only printing uses a zone.
   */
  #zoneOfNoText(): Error {
    const hint =
      "seriesdb query --tz prints times in a zone, time_bucket(1d, time, 'Europe/Berlin') has its days";
    const { start } = this.#cursor.peek();
    return this.#cursor.fail(start, 'at time zone is for a time in quotes', hint);
  }

  #wordPrimary(): Expression {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const lower = token.known;
    if (lower === 'true' || lower === 'false') {
      cursor.take();
      const span = cursor.spanFrom(token.start);
      return { kind: 'boolean', value: lower === 'true', span };
    }
    if (lower === 'null') {
      cursor.take();
      return { kind: 'null', span: cursor.spanFrom(token.start) };
    }
    if (lower === 'case') return this.#case();
    if (reservedWords.has(lower)) {
      const hint = `${lower} is a keyword; as a name it is written "${token.text}"`;
      throw cursor.expected('an expression', [], hint);
    }
    if (cursor.isSymbol('(', 1) && token.kind === 'word') {
      return lower === 'cast' ? this.#cast() : this.#call();
    }
    return this.#path();
  }

  /** path = name { "." name } ; */
  #path(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (cursor.peek(1).kind === 'string') this.#refuseTypedText();
    const parts = [this.#namePart()];
    while (cursor.takeSymbol('.')) parts.push(this.#namePart());
    return { kind: 'name', parts, span: cursor.spanFrom(start) };
  }

  /** Refuses typed literals such as `interval '1 hour'` and `timestamp '2022-03-27'`. */
  #refuseTypedText(): void {
    const cursor = this.#cursor;
    const { known } = cursor.peek();
    const { text } = cursor.peek(1);
    const isInterval = known === 'interval';
    if (!isInterval && known !== 'timestamp' && known !== 'date') return;
    const time = `write '${text}' alone, beside time`;
    const hint = isInterval ? `write ${durationOfInterval(text) ?? '1h'}` : time;
    throw cursor.expected('an expression', [], hint);
  }

  /** After a dot, any word is a name. */
  #namePart(): NamePart {
    const token = this.#cursor.peek();
    if (token.kind !== 'word' && token.kind !== 'quoted') {
      throw this.#cursor.expected('a name', [], 'names with special characters are quoted with "');
    }
    this.#cursor.take();
    return { text: token.text, isQuoted: token.kind === 'quoted' };
  }

  /** call = word "(" [ "*" | [ "DISTINCT" ] expr { "," expr } ] ")" ; */
  #call(): Expression {
    const cursor = this.#cursor;
    const name = cursor.take();
    cursor.expectSymbol('(');
    this.#refuseSubquery();
    let isStar = false;
    let isDistinct = false;
    const args: Expression[] = [];
    cursor.nested(() => {
      if (cursor.isSymbol(')')) return;
      if (cursor.isSymbol('*') && cursor.isSymbol(')', 1)) {
        cursor.take();
        isStar = true;
        return;
      }
      isDistinct = cursor.takeWord('distinct');
      do args.push(this.#beside(this.#depth));
      while (cursor.takeSymbol(','));
    });
    if (!cursor.isSymbol(')')) {
      throw cursor.expected('"," or ")"', [], foreign.functions.get(name.known));
    }
    cursor.take();
    const span = cursor.spanFrom(name.start);
    const call = { kind: 'call', name: name.text, args, isStar, isDistinct, span } as const;
    return this.#made(call, this.#depth);
  }

  /** case = "CASE" "WHEN" expr "THEN" expr { "WHEN" expr "THEN" expr } [ "ELSE" expr ] "END" ; */
  #case(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.take();
    const branches: { when: Expression; then: Expression }[] = [];
    const otherwise = cursor.nested(() => {
      if (!cursor.isWord('when')) throw cursor.expected('WHEN', ['when']);
      while (cursor.takeWord('when')) {
        const when = this.#beside(this.#depth);
        cursor.expectWord('then');
        branches.push({ when, then: this.#beside(this.#depth) });
      }
      return cursor.takeWord('else') ? this.#beside(this.#depth) : null;
    });
    cursor.expectWord('end');
    const span = cursor.spanFrom(start);
    return this.#made({ kind: 'case', branches, otherwise, span }, this.#depth);
  }

  /** cast = "CAST" "(" expr "AS" ( "INTEGER" | "FLOAT" | "STRING" ) ")" ; */
  #cast(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.take();
    cursor.expectSymbol('(');
    const operand = cursor.nested(() => this.parse());
    cursor.expectWord('as');
    const target = (['integer', 'float', 'string'] as const).find((name) => cursor.takeWord(name));
    if (target === undefined) throw cursor.expected('integer, float or string');
    cursor.expectSymbol(')');
    const span = cursor.spanFrom(start);
    return this.#made({ kind: 'cast', operand, target, span }, this.#depth);
  }
}
