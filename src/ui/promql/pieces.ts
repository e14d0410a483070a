/** Syntax highlighting of PromQL, with the server's own lexer. */

import { isAggregate, isGroupingWord, type PromqlToken } from '../../query/promql/syntax/token.js';
import { functions } from './faults.js';
import { skim } from './skim.js';

import type { EditorPiece } from '../editor/pieces.js';

type PromqlPieceLook = EditorPiece['look'];

/** In order. */
export function piecesOf(text: string): readonly EditorPiece[] {
  const { tokens, restAt } = skim(text);
  const looker = new Looker(text);
  const pieces = tokens.flatMap((token, at): readonly EditorPiece[] => {
    const remarks = remarkIn(text, tokens[at - 1]?.end ?? 0, token.start);
    const look = looker.look(token, tokens[at + 1]);
    const { start, end } = token;
    return look === null ? remarks : [...remarks, { start, end, look }];
  });
  const isOpen = /["'`]/.test(text[restAt] ?? '');
  return [
    ...pieces,
    ...remarkIn(text, tokens.at(-1)?.end ?? 0, restAt),
    ...(isOpen ? [{ start: restAt, end: text.length, look: 'text' } as const] : []),
  ];
}

function remarkIn(text: string, from: number, to: number): readonly EditorPiece[] {
  const gap = text.slice(from, to);
  const mark = gap.indexOf('#');
  if (mark < 0) return [];
  return [{ start: from + mark, end: from + gap.trimEnd().length, look: 'remark' }];
}

/** Classifies tokens in order, because the meaning of a name depends on its position. */
class Looker {
  readonly #text: string;
  /** True inside braces, and inside the parentheses after a grouping word such as `by`. */
  #isAmongLabels = false;
  #isBehindGrouping = false;

  constructor(text: string) {
    this.#text = text;
  }

  look(token: PromqlToken, after: PromqlToken | undefined): PromqlPieceLook | null {
    const { kind } = token;
    if (kind === '{' || (kind === '(' && this.#isBehindGrouping)) this.#isAmongLabels = true;
    else if (kind === '}' || kind === ')') this.#isAmongLabels = false;
    this.#isBehindGrouping = isGroupingWord(kind);
    if (kind === 'string') return 'text';
    if (kind === 'number' || kind === 'duration') return 'number';
    if (!/^[a-z]/i.test(this.#text[token.start] ?? '')) return null;
    return this.#isAmongLabels ? 'column' : this.#ofWord(token, after);
  }

  #ofWord(
    { kind, start, end }: PromqlToken,
    after: PromqlToken | undefined,
  ): PromqlPieceLook | null {
    const isCalled = after?.kind === '(';
    if (isAggregate(kind)) return isCalled || isGroupingWord(after?.kind) ? 'function' : null;
    if (kind === 'metric identifier') return null;
    if (kind !== 'identifier') return 'keyword';
    return isCalled && functions.has(this.#text.slice(start, end)) ? 'function' : null;
  }
}
