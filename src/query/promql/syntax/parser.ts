/**
 * Parses a text into a tree, by binding power. Throws `parse_failed` at the first error, with
 * Prometheus' wording and position. Types are not checked here.
 */

import { AppError } from '../../../common/errors/app-error.js';
import { didYouMean } from '../../../common/model/nearest.js';

import type { Aggregation, PromqlBinary, PromqlCall, PromqlExpression, TextPlace } from './ast.js';
import type { Signature, VectorMatching } from './ast.js';
import { isNumber, numberLiteral, signed } from './literals.js';
import { MatchingParser, type WrittenMatching } from './matching-parser.js';
import { PostfixParser } from './postfix-parser.js';
import { goQuote } from './quote.js';
import { SelectorParser, type PatternProblem } from './selector-parser.js';
import { unquote } from './string-text.js';
import { parseError } from './text-place.js';
import { TokenReader } from './token-reader.js';
import { beginsExpression, isMetricName, type PromqlToken } from './token.js';
import { typeOf } from './type-of.js';

/** The longest text, in bytes of UTF-8. */
const kTextSizeMax = 262_144;

/** A tree, and the extra facts that its check needs. */
export interface ParsedText {
  readonly text: string;
  readonly expression: PromqlExpression;
  /** The matchings of operators whose sides are not both vectors. */
  readonly misplaced: ReadonlyMap<PromqlBinary, VectorMatching>;
}

/** What the parser must know of the rest of the language. */
interface KnownFunctions {
  /** The functions that an expression may call, by name. */
  readonly functions: ReadonlyMap<string, { readonly signature: Signature }>;
  /** Returns the error of a regular expression; null if it is valid. */
  readonly patternProblem: PatternProblem;
}

export function parseText(text: string, known: KnownFunctions): ParsedText {
  if (isTooLong(text)) throw parseError(text, 0, `an expression has at most ${kTextSizeMax} bytes`);
  return new Parser(text, known).parse();
}

/** Measures only long texts: a UTF-16 unit takes at most three bytes. */
const isTooLong = (text: string): boolean =>
  text.length > kTextSizeMax / 3 && new TextEncoder().encode(text).length > kTextSizeMax;

/** The binding power of operators; a sign binds as `*`. */
const binding: Readonly<Record<string, number>> = {
  ...{ or: 1, and: 2, unless: 2 },
  ...{ '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3 },
  ...{ '+': 4, '-': 4, '*': 5, '/': 5, '%': 5, atan2: 5, '^': 6 },
};
const kPower = 6;

const withParameter = new Set<string>([
  ...['topk', 'bottomk', 'quantile', 'count_values', 'limitk', 'limit_ratio'],
]);

type ParsedGrouping = Pick<Aggregation, 'isWithout' | 'labels'>;

class Parser {
  readonly #text: string;
  readonly #functions: KnownFunctions['functions'];
  readonly #reader: TokenReader;
  readonly #selectors: SelectorParser;
  readonly #matchings: MatchingParser;
  readonly #postfixes: PostfixParser;
  readonly #misplaced = new Map<PromqlBinary, VectorMatching>();
  /** The height of the expression parsed last. */
  #height = 0;
  /** The enclosing aggregation, which Prometheus mentions in errors at any depth. */
  #context = '';

  constructor(text: string, { functions, patternProblem }: KnownFunctions) {
    this.#text = text;
    this.#functions = functions;
    this.#reader = new TokenReader(text);
    this.#selectors = new SelectorParser(this.#reader, patternProblem);
    this.#matchings = new MatchingParser(this.#reader, this.#selectors);
    this.#postfixes = new PostfixParser(this.#reader);
  }

  parse(): ParsedText {
    if (this.#reader.peek().kind === 'end of input') {
      throw this.#reader.error(0, 'no expression found in input');
    }
    const expression = this.#expression(1);
    this.#reader.expect('end of input', this.#context);
    return { text: this.#text, expression, misplaced: this.#misplaced };
  }

  /** Parses operators that bind at least this tightly. */
  #expression(atLeast: number): PromqlExpression {
    return this.#reader.nested(() => {
      let left = this.#operand();
      for (let count = 1; ; count += 1) {
        const bound = binding[this.#reader.peek().kind] ?? 0;
        if (bound < atLeast) return left;
        this.#reader.checkChain(count);
        left = this.#binary(left, bound);
      }
    });
  }

  #binary(left: PromqlExpression, bound: number): PromqlBinary {
    const height = this.#height;
    const op = this.#reader.take().kind as PromqlBinary['op'];
    const written = this.#matchings.parse(op);
    const right = this.#expression(bound === kPower ? kPower : bound + 1);
    // The left side is not one level deeper: see chain.ts.
    this.#grow(this.#height);
    this.#height = Math.max(height, this.#height);
    return this.#joined({ op, left, right }, written);
  }

  #joined(
    sides: Pick<PromqlBinary, 'op' | 'left' | 'right'>,
    written: WrittenMatching,
  ): PromqlBinary {
    const { isBool, matching, isGiven } = written;
    const types = [typeOf(sides.left), typeOf(sides.right)];
    const areVectors = types.every((type) => type === 'vector');
    const type = types.every((one) => one === 'scalar') ? 'scalar' : 'vector';
    const place = { start: sides.left.place.start, end: sides.right.place.end };
    const rest = { isBool, matching: areVectors ? matching : null };
    const binary: PromqlBinary = { kind: 'binary', place, type, ...sides, ...rest };
    if (isGiven && !areVectors) this.#misplaced.set(binary, matching);
    return binary;
  }

  /** A sign binds less tightly than `^` and the postfixes of a selector. */
  #operand(): PromqlExpression {
    const { kind } = this.#reader.peek();
    if (kind !== '+' && kind !== '-') return this.#behind(this.#primary());
    const sign = this.#reader.take();
    const of = this.#expression(kPower);
    if (of.kind === 'number') return signed(sign, of);
    this.#grow(this.#height);
    return { kind: 'unary', place: this.#placeFrom(sign), op: kind, of };
  }

  #behind(first: PromqlExpression): PromqlExpression {
    let of = first;
    for (;;) {
      const next = this.#postfixes.parse(of);
      if (next === null) return of;
      this.#grow(this.#height);
      of = next;
    }
  }

  #primary(): PromqlExpression {
    this.#height = 1;
    const { kind } = this.#reader.peek();
    if (kind === '{') return this.#selectors.selector(null);
    if (isNumber(kind)) return numberLiteral(this.#reader, this.#reader.take());
    if (kind === '(') return this.#parens(this.#reader.take());
    if (kind === 'string') {
      const string = this.#reader.take();
      return { kind, place: this.#placeFrom(string), value: unquote(this.#reader.written(string)) };
    }
    if (!isMetricName(kind)) throw this.#reader.unexpected(this.#context);
    return this.#named(this.#reader.take());
  }

  #named(name: PromqlToken): PromqlExpression {
    const isCalled = name.kind === 'identifier' && this.#reader.peek().kind === '(';
    if (isCalled) return this.#call(name);
    if (this.#reader.isAggregation(name.kind)) return this.#aggregation(name);
    return this.#selectors.selector(name);
  }

  #parens(open: PromqlToken): PromqlExpression {
    const of = this.#expression(1);
    this.#reader.expect(')', this.#context);
    this.#grow(this.#height);
    return { kind: 'parens', place: this.#placeFrom(open), of };
  }

  #call(token: PromqlToken): PromqlCall {
    const args = this.#args();
    const name = this.#reader.written(token);
    const called = this.#functions.get(name);
    if (called === undefined) {
      throw this.#unknownFunction(token, name);
    }
    return { kind: 'call', place: this.#placeFrom(token), name, signature: called.signature, args };
  }

  #unknownFunction({ start }: PromqlToken, name: string): AppError {
    const error = this.#reader.error(start, `unknown function with name ${goQuote(name)}`);
    const hint = didYouMean(name, this.#functions.keys());
    if (error.hint !== undefined || hint === undefined) return error;
    return new AppError(error.code, error.message, { hint });
  }

  /** Arguments in parentheses, separated by commas. */
  #args(): readonly PromqlExpression[] {
    const args: PromqlExpression[] = [];
    let height = 0;
    this.#reader.expect('(', this.#context);
    if (this.#reader.accept(')') !== null) return args;
    for (;;) {
      args.push(this.#expression(1));
      height = Math.max(height, this.#height);
      if (this.#reader.accept(')') !== null) break;
      this.#comma();
    }
    this.#grow(height);
    return args;
  }

  #comma(): void {
    const { start } = this.#reader.expect(',', this.#context);
    if (beginsExpression(this.#reader.peek().kind)) return;
    throw this.#reader.error(start, 'trailing commas not allowed in function call args');
  }

  #aggregation(token: PromqlToken): Aggregation {
    const outside = this.#context;
    this.#context = 'aggregation';
    const before = this.#grouping();
    const args = this.#args();
    const place = this.#placeFrom(token);
    const behind = before === null ? this.#grouping() : null;
    this.#context = outside;
    const grouping = before ?? behind ?? { isWithout: false, labels: [] };
    return {
      kind: 'aggregation',
      place: behind === null ? place : this.#placeFrom(token),
      op: token.kind as Aggregation['op'],
      ...this.#aggregated(token, args),
      ...grouping,
    };
  }

  #grouping(): ParsedGrouping | null {
    const { kind } = this.#reader.peek();
    if (kind !== 'by' && kind !== 'without') return null;
    this.#reader.take();
    return { isWithout: kind === 'without', labels: this.#selectors.labels() };
  }

  #aggregated(
    { kind, start }: PromqlToken,
    args: readonly PromqlExpression[],
  ): Pick<Aggregation, 'of' | 'parameter'> {
    const [first, second] = args;
    if (first === undefined) {
      throw this.#reader.error(start, 'no arguments for aggregate expression provided');
    }
    const hasParameter = withParameter.has(kind);
    const count = hasParameter ? 2 : 1;
    const of = hasParameter ? second : first;
    if (of !== undefined && args.length === count)
      return { of, parameter: hasParameter ? first : null };
    const what = 'wrong number of arguments for aggregate expression provided';
    throw this.#reader.error(start, `${what}, expected ${count}, got ${args.length}`);
  }

  /** The range from a token to the end of the last token taken. */
  #placeFrom({ start }: PromqlToken): TextPlace {
    return { start, end: this.#reader.end };
  }

  #grow(height: number): void {
    this.#height = height + 1;
    this.#reader.checkDepth(this.#height);
  }
}
