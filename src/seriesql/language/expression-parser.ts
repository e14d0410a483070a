/**
 * Expressions by binding power: take an operand, then every operator that binds at least as tight
 * as the floor. Rows of `and` and `or` become one flat node.
 */

import { readDuration, readTimestamp } from './time-literal.js';
import { reservedWords } from './token.js';

import type { BinaryOperator, Expression, NamePart } from './ast.js';
import type { Cursor } from './cursor.js';

/** How tightly an operator binds; a higher number binds first. */
const kOr = 1;
const kAnd = 2;
const kNot = 3;
const kComparison = 4;
const kAdditive = 5;
const kMultiplicative = 6;

const binaryPower: Readonly<Record<string, number>> = {
  '=': kComparison,
  '!=': kComparison,
  '<>': kComparison,
  '<': kComparison,
  '<=': kComparison,
  '>': kComparison,
  '>=': kComparison,
  '=~': kComparison,
  '!~': kComparison,
  '+': kAdditive,
  '-': kAdditive,
  '*': kMultiplicative,
  '/': kMultiplicative,
  '%': kMultiplicative,
};

/** Deeper trees, which long rows of operators make, would exhaust the stack of those who walk. */
const kDepthMax = 500;
/** 2^63 is a literal only below a minus. */
const kIntegerMax = 2n ** 63n;

export class ExpressionParser {
  readonly #cursor: Cursor;
  readonly #depths = new WeakMap<Expression, number>();

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** Throws `parse_failed`. */
  parse(floor = kOr): Expression {
    let left = this.#prefix(floor);
    for (;;) {
      const next = this.#operator(left, floor);
      if (next === null) return left;
      left = next;
    }
  }

  /** `(a, b, …)`, at least one. */
  list(): readonly Expression[] {
    const cursor = this.#cursor;
    cursor.expectSymbol('(');
    this.#refuseSubquery();
    const items = cursor.nested(() => {
      const found = [this.parse()];
      while (cursor.takeSymbol(',')) found.push(this.parse());
      return found;
    });
    cursor.expectSymbol(')');
    return items;
  }

  #made(expression: Expression, children: readonly Expression[]): Expression {
    let depth = 0;
    for (const child of children) depth = Math.max(depth, this.#depths.get(child) ?? 0);
    if (depth >= kDepthMax) {
      throw this.#cursor.fail(
        expression.span.start,
        `more than ${kDepthMax} operators apply to one another here`,
      );
    }
    this.#depths.set(expression, depth + 1);
    return expression;
  }

  #prefix(floor: number): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (cursor.isWord('not')) {
      if (floor > kNot) throw cursor.expected('an expression', [], 'put not (…) in parentheses');
      cursor.take();
      const operand = cursor.nested(() => this.parse(kNot));
      return this.#made({ kind: 'not', operand, span: cursor.spanFrom(start) }, [operand]);
    }
    return this.#unary();
  }

  #unary(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (cursor.takeSymbol('-')) {
      if (cursor.peek().kind === 'integer') return this.#integer(true, start);
      const operand = cursor.nested(() => this.#unary());
      return this.#made({ kind: 'negate', operand, span: cursor.spanFrom(start) }, [operand]);
    }
    if (cursor.takeSymbol('+')) {
      const operand = cursor.nested(() => this.#unary());
      return this.#made({ kind: 'plus', operand, span: cursor.spanFrom(start) }, [operand]);
    }
    return this.#primary();
  }

  /** The next operator with its right side, or null when it binds less than `floor`. */
  #operator(left: Expression, floor: number): Expression | null {
    const token = this.#cursor.peek();
    if (token.kind === 'symbol') {
      if (token.text === '&&') return floor <= kAnd ? this.#logical(left, 'and') : null;
      if (token.text === '||') return floor <= kOr ? this.#logical(left, 'or') : null;
      const power = binaryPower[token.text];
      return power === undefined || power < floor ? null : this.#binary(left, power);
    }
    if (token.kind !== 'word') return null;
    switch (token.text.toLowerCase()) {
      case 'and':
        return floor <= kAnd ? this.#logical(left, 'and') : null;
      case 'or':
        return floor <= kOr ? this.#logical(left, 'or') : null;
      case 'not':
      case 'in':
      case 'between':
      case 'like':
      case 'is':
        return floor <= kComparison ? this.#wordComparison(left) : null;
      default:
        return null;
    }
  }

  #logical(first: Expression, kind: 'and' | 'or'): Expression {
    const cursor = this.#cursor;
    const symbol = kind === 'and' ? '&&' : '||';
    const items = [first];
    while (cursor.takeSymbol(symbol) || cursor.takeWord(kind)) {
      items.push(this.parse(kind === 'and' ? kAnd + 1 : kOr + 1));
    }
    return this.#made({ kind, items, span: cursor.spanFrom(first.span.start) }, items);
  }

  #binary(left: Expression, power: number): Expression {
    const cursor = this.#cursor;
    const operator = cursor.take();
    if (operator.text === '=' && cursor.isSymbol('=')) {
      throw cursor.expected('an expression', [], 'equality is written with one =');
    }
    const right = this.parse(power + 1);
    const op = (operator.text === '<>' ? '!=' : operator.text) as BinaryOperator;
    const span = cursor.spanFrom(left.span.start);
    const opStart = operator.start;
    return this.#made({ kind: 'binary', op, opStart, left, right, span }, [left, right]);
  }

  /** `[not] in`, `[not] between`, `[not] like`, `is [not] null`. */
  #wordComparison(operand: Expression): Expression {
    const cursor = this.#cursor;
    const { start } = operand.span;
    if (cursor.takeWord('is')) {
      const negated = cursor.takeWord('not');
      cursor.expectWord('null');
      const span = cursor.spanFrom(start);
      return this.#made({ kind: 'isNull', operand, negated, span }, [operand]);
    }
    const negated = cursor.takeWord('not');
    if (cursor.takeWord('in')) {
      const items = this.list();
      const span = cursor.spanFrom(start);
      return this.#made({ kind: 'in', operand, items, negated, span }, [operand, ...items]);
    }
    if (cursor.takeWord('between')) {
      const low = this.parse(kAdditive);
      cursor.expectWord('and');
      const high = this.parse(kAdditive);
      const span = cursor.spanFrom(start);
      const children = [operand, low, high];
      return this.#made({ kind: 'between', operand, low, high, negated, span }, children);
    }
    if (!cursor.takeWord('like')) throw cursor.expected('in, between or like');
    const pattern = this.parse(kAdditive);
    const span = cursor.spanFrom(start);
    return this.#made({ kind: 'like', operand, pattern, negated, span }, [operand, pattern]);
  }

  #primary(): Expression {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const { start } = token;
    switch (token.kind) {
      case 'integer':
        return this.#integer(false, start);
      case 'float':
        return this.#float();
      case 'string':
        cursor.take();
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
    throw cursor.source.error('unsupported_statement', start, 'there are no subqueries');
  }

  #integer(isNegative: boolean, start: number): Expression {
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
      throw this.#cursor.fail(token.start, `malformed duration ${token.text.slice(0, 40)}`, hint);
    }
    return { kind: 'duration', value, span: this.#cursor.spanFrom(token.start) };
  }

  #timestamp(): Expression {
    const token = this.#cursor.take();
    const value = readTimestamp(token.text);
    if (value === null) {
      const hint = 'dates are written 2022-03-27 or 2022-03-27T10:00:00Z';
      throw this.#cursor.fail(token.start, `no such date: ${token.text.slice(0, 40)}`, hint);
    }
    return { kind: 'timestamp', value, span: this.#cursor.spanFrom(token.start) };
  }

  #wordPrimary(): Expression {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const lower = token.kind === 'word' ? token.text.toLowerCase() : '';
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
    const parts: NamePart[] = [this.#namePart()];
    while (cursor.isSymbol('.')) {
      cursor.take();
      parts.push(this.#namePart());
    }
    return { kind: 'name', parts, span: cursor.spanFrom(token.start) };
  }

  /** After a dot any word is a name. */
  #namePart(): NamePart {
    const token = this.#cursor.peek();
    if (token.kind !== 'word' && token.kind !== 'quoted') {
      throw this.#cursor.expected('a name', [], 'odd names are quoted with "');
    }
    this.#cursor.take();
    return { text: token.text, isQuoted: token.kind === 'quoted' };
  }

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
      do args.push(this.parse());
      while (cursor.takeSymbol(','));
    });
    if (!cursor.isSymbol(')')) throw cursor.expected('"," or ")"');
    cursor.take();
    const span = cursor.spanFrom(name.start);
    const call = { kind: 'call', name: name.text, args, isStar, isDistinct, span } as const;
    return this.#made(call, args);
  }

  #case(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.take();
    const branches: { when: Expression; then: Expression }[] = [];
    const otherwise = cursor.nested(() => {
      if (!cursor.isWord('when')) throw cursor.expected('WHEN', ['when']);
      while (cursor.takeWord('when')) {
        const when = this.parse();
        cursor.expectWord('then');
        branches.push({ when, then: this.parse() });
      }
      return cursor.takeWord('else') ? this.parse() : null;
    });
    cursor.expectWord('end');
    const children = branches.flatMap(({ when, then }) => [when, then]);
    if (otherwise !== null) children.push(otherwise);
    const span = cursor.spanFrom(start);
    return this.#made({ kind: 'case', branches, otherwise, span }, children);
  }

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
    return this.#made({ kind: 'cast', operand, target, span }, [operand]);
  }
}
