/** Parses the vector matching after an operator. */

import type { PromqlBinary, VectorMatching } from './ast.js';
import type { SelectorParser } from './selector-parser.js';
import type { TokenReader } from './token-reader.js';
import { beginsExpression } from './token.js';

export interface WrittenMatching {
  readonly isBool: boolean;
  readonly matching: VectorMatching;
  /** True if `on` or `ignoring` was written. */
  readonly isGiven: boolean;
}

const setOperators = new Set<string>(['and', 'or', 'unless']);

const bare = { isOn: false, labels: [], include: [] } as const;
const plainMatchings: Readonly<Record<'oneToOne' | 'manyToMany', VectorMatching>> = {
  oneToOne: { cardinality: 'oneToOne', ...bare },
  manyToMany: { cardinality: 'manyToMany', ...bare },
};

export class MatchingParser {
  readonly #reader: TokenReader;
  readonly #selectors: SelectorParser;

  constructor(reader: TokenReader, selectors: SelectorParser) {
    this.#reader = reader;
    this.#selectors = selectors;
  }

  /** `[bool] [(on | ignoring) (labels) [(group_left | group_right) [(labels)]]]` */
  parse(op: PromqlBinary['op']): WrittenMatching {
    const isBool = this.#reader.accept('bool') !== null;
    const plain = setOperators.has(op) ? 'manyToMany' : 'oneToOne';
    const { kind } = this.#reader.peek();
    if (kind !== 'on' && kind !== 'ignoring') {
      return { isBool, matching: plainMatchings[plain], isGiven: false };
    }
    this.#reader.take();
    const labels = this.#selectors.labels();
    const { cardinality, include } = this.#grouped() ?? { cardinality: plain, include: [] };
    const matching = { cardinality, isOn: kind === 'on', labels, include };
    return { isBool, matching, isGiven: true };
  }

  #grouped(): Pick<VectorMatching, 'cardinality' | 'include'> | null {
    const { kind } = this.#reader.peek();
    if (kind !== 'group_left' && kind !== 'group_right') return null;
    this.#reader.take();
    const cardinality = kind === 'group_left' ? 'manyToOne' : 'oneToMany';
    const next = this.#reader.peek().kind;
    const isBare = next !== '(' && beginsExpression(next);
    return { cardinality, include: isBare ? [] : this.#selectors.labels() };
  }
}
