/** Syntax highlighting of SeriesQL, with the server's own lexer. */

import { functionList } from '../../query/seriesql/functions/function-list.js';
import { skim } from '../../query/seriesql/language/lexer.js';
import {
  columnNames,
  contextWords,
  reservedWords,
  type Token,
} from '../../query/seriesql/language/token.js';
import { windowWordsIn } from './window-words.js';

type PieceLook = 'keyword' | 'function' | 'column' | 'text' | 'number' | 'remark' | 'window';

export interface EditorPiece {
  readonly start: number;
  readonly end: number;
  readonly look: PieceLook;
}

const functionWords = new Set([...functionList.map(({ name }) => name), 'time_bucket', 'now']);
const contextual = new Set(contextWords);
const columns = new Set<string>(columnNames);

const lookOfKind: Readonly<Partial<Record<Token['kind'], PieceLook>>> = {
  ...({ string: 'text', integer: 'number', float: 'number' } as const),
  ...({ duration: 'number', timestamp: 'number' } as const),
};

/** In order. */
export function piecesOf(text: string): readonly EditorPiece[] {
  const { tokens, openAt } = skim(text);
  const pieces: EditorPiece[] = [...remarksBetween(text, tokens, openAt)];
  tokens.forEach((token, at) => {
    const look = lookOf(token, tokens[at - 1], tokens[at + 1]);
    if (look !== null) pieces.push({ start: token.start, end: token.end, look });
  });
  if (openAt !== null && text[openAt] === "'") {
    pieces.push({ start: openAt, end: text.length, look: 'text' });
  }
  const stood = windowWordsIn(text);
  const others = pieces.filter(({ start }) =>
    stood.every((one) => start < one.start || start >= one.end),
  );
  return [...others, ...stood.map((one) => ({ ...one, look: 'window' as const }))].sort(
    (left, right) => left.start - right.start,
  );
}

function lookOf(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
): PieceLook | null {
  if (token.kind !== 'word') return lookOfKind[token.kind] ?? null;
  // A part of a longer name.
  if (before?.known === '.' || after?.known === '.') return null;
  if (after?.known === '(' && functionWords.has(token.known)) return 'function';
  if (reservedWords.has(token.known) || token.known === 'by') return 'keyword';
  if (columns.has(token.known)) return 'column';
  return contextual.has(token.known) ? 'keyword' : null;
}

/** Text between tokens that is not blank is a comment. */
function remarksBetween(
  text: string,
  tokens: readonly Token[],
  openAt: number | null,
): readonly EditorPiece[] {
  let at = 0;
  const remarks: EditorPiece[] = [];
  for (const { start, end } of tokens) {
    const gap = text.slice(at, start);
    const isOpenText = openAt !== null && at <= openAt && text[openAt] !== '/';
    const mark = isOpenText ? -1 : gap.search(/--|\/\*/);
    if (mark >= 0)
      remarks.push({ start: at + mark, end: at + gap.trimEnd().length, look: 'remark' });
    at = end;
  }
  return remarks;
}
