/**
 * Reads the tokens of a text with one token of look-ahead. A token is made only when it is needed,
 * so the first of two errors is reported.
 */

import type { AppError } from '../../../common/errors/app-error.js';
import { PromqlLexer } from './lexer.js';
import { describe, isAggregate, type PromqlToken, type PromqlTokenKind } from './token.js';

/** The deepest nesting, so that tree walkers may recurse. */
const kDepthMax = 256;
/** The most operators in a row, so that the work per pair of operators stays small. */
const kChainMax = 4096;

export class TokenReader {
  /** The end of the last token taken. */
  end = 0;
  readonly #lexer: PromqlLexer;
  #ahead: PromqlToken | null = null;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new PromqlLexer(text);
  }

  peek(): PromqlToken {
    this.#ahead ??= this.#lexer.next();
    return this.#ahead;
  }

  take(): PromqlToken {
    const token = this.peek();
    this.#ahead = null;
    this.end = token.end;
    return token;
  }

  /** Takes the next token if it has this kind; otherwise returns null. */
  accept(kind: PromqlTokenKind): PromqlToken | null {
    return this.peek().kind === kind ? this.take() : null;
  }

  /** `context`: as in `unexpected`. */
  expect(kind: PromqlTokenKind, context: string): PromqlToken {
    if (this.peek().kind !== kind) throw this.unexpected(context);
    return this.take();
  }

  written(token: PromqlToken): string {
    return this.#lexer.text.slice(token.start, token.end);
  }

  /** `context`: the place of the unexpected token, and the expected tokens; '' omits it. */
  unexpected(context: string): AppError {
    const token = this.peek();
    const what = describe(token.kind, this.written(token));
    return this.error(token.start, `unexpected ${what}${context === '' ? '' : ` in ${context}`}`);
  }

  error(offset: number, message: string): AppError {
    return this.#lexer.error(offset, message);
  }

  /** Runs `parse` one level deeper. */
  nested<T>(parse: () => T): T {
    this.#depth += 1;
    this.checkDepth(this.#depth);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  checkDepth(depth: number): void {
    if (depth <= kDepthMax) return;
    const message = `an expression is nested at most ${kDepthMax} levels deep`;
    throw this.error(this.peek().start, message);
  }

  checkChain(operators: number): void {
    if (operators <= kChainMax) return;
    const message = `an expression has at most ${kChainMax} operators in a row`;
    throw this.error(this.peek().start, message);
  }

  /**
   * True if an aggregation follows its operator; otherwise the operator is the name of a metric.
   */
  isAggregation(operator: PromqlTokenKind): boolean {
    if (!isAggregate(operator)) return false;
    const { kind } = this.peek();
    return kind === '(' || kind === 'by' || kind === 'without';
  }
}
