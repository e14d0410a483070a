/** Parses selectors and lists of labels. */

import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { VectorSelector } from './ast.js';
import { goQuote } from './quote.js';
import { unquote } from './string-text.js';
import type { TokenReader } from './token-reader.js';
import { isLabelName, type PromqlToken, type PromqlTokenKind } from './token.js';

export const kNameLabel = '__name__';

const matching = 'label matching, expected';
const wantsMatcher = `${matching} identifier or "}"`;
const wantsOperator = `${matching} label matching operator`;
const wantsString = `${matching} string`;
const wantsComma = `${matching} "," or "}"`;

/** Returns the error of a regular expression; null if it is valid. */
export type PatternProblem = (pattern: string) => string | null;

interface Matchers {
  readonly matchers: readonly SeriesMatcher[];
  readonly end: number;
}

export class SelectorParser {
  readonly #reader: TokenReader;
  readonly #patternProblem: PatternProblem;

  constructor(reader: TokenReader, patternProblem: PatternProblem) {
    this.#reader = reader;
    this.#patternProblem = patternProblem;
  }

  /** Parses a selector after its name, or at `{`. */
  selector(name: PromqlToken | null): VectorSelector {
    const start = name?.start ?? this.#reader.peek().start;
    const written = name === null ? '' : this.#reader.written(name);
    const isBraced = name === null || this.#reader.peek().kind === '{';
    const braced = isBraced ? this.#braces() : { matchers: [], end: name.end };
    return {
      kind: 'selector',
      place: { start, end: braced.end },
      name: written,
      matchers: written === '' ? braced.matchers : [...braced.matchers, nameIs(written)],
      offset: null,
      at: null,
    };
  }

  #braces(): Matchers {
    this.#reader.take();
    const matchers: SeriesMatcher[] = [];
    for (;;) {
      const close = this.#reader.accept('}');
      if (close !== null) return { matchers, end: close.end };
      matchers.push(this.#matcher());
      if (this.#reader.peek().kind !== '}') this.#reader.expect(',', wantsComma);
    }
  }

  #matcher(): SeriesMatcher {
    const { kind } = this.#reader.peek();
    if (kind !== 'identifier' && kind !== 'string') throw this.#reader.unexpected(wantsMatcher);
    const label = this.#reader.take();
    const written = this.#reader.written(label);
    const key = kind === 'string' ? unquote(written) : written;
    const op = this.#reader.peek().kind;
    if (isMatchOperator(op)) return this.#behindOperator(label, key);
    if (kind === 'string') return nameIs(key);
    throw this.#reader.unexpected(wantsOperator);
  }

  #behindOperator(label: PromqlToken, key: string): SeriesMatcher {
    const op = this.#reader.take().kind as SeriesMatcher['op'];
    const token = this.#reader.expect('string', wantsString);
    const value = unquote(this.#reader.written(token));
    const problem = op === '=~' || op === '!~' ? this.#patternProblem(value) : null;
    if (problem !== null) throw this.#reader.error(label.start, problem);
    return { key, op, value };
  }

  /** Labels in parentheses, after `by`, `on` and similar words. */
  labels(): readonly string[] {
    this.#reader.expect('(', 'grouping opts, expected "("');
    const labels: string[] = [];
    if (this.#reader.accept(')') !== null) return labels;
    do {
      labels.push(this.#label());
      if (this.#reader.accept(')') !== null) return labels;
      this.#reader.expect(',', 'grouping opts, expected "," or ")"');
    } while (this.#reader.accept(')') === null);
    return labels;
  }

  #label(): string {
    const { kind } = this.#reader.peek();
    if (kind !== 'string' && !isLabelName(kind)) {
      throw this.#reader.unexpected('grouping opts, expected label');
    }
    const token = this.#reader.take();
    const written = this.#reader.written(token);
    const label = kind === 'string' ? unquote(written) : written;
    if (label !== '' && !/\p{Surrogate}/u.test(label)) return label;
    throw this.#reader.error(token.start, `invalid label name for grouping: ${goQuote(label)}`);
  }
}

const nameIs = (value: string): SeriesMatcher => ({ key: kNameLabel, op: '=', value });

const isMatchOperator = (kind: PromqlTokenKind): kind is SeriesMatcher['op'] =>
  kind === '=' || kind === '!=' || kind === '=~' || kind === '!~';
