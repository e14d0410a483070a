/**
 * `:from`, `:to` and `:width` in a statement stand for the page's time range. They are replaced
 * before the statement is sent. Offsets in the sent text are mapped back to the written text.
 */

import { skim } from '../../query/seriesql/language/lexer.js';

export interface WindowValues {
  readonly from: string;
  readonly to: string;
  /** A duration, for buckets. */
  readonly width: string;
}

export interface SentText {
  readonly text: string;
  /** Maps an offset of the sent text to the written text. */
  readonly writtenAt: (offset: number) => number;
}

/** The ranges of such words, including their colon. */
export function windowWordsIn(text: string): readonly { start: number; end: number }[] {
  const { tokens } = skim(text);
  return tokens.flatMap(({ start, text: word }, at) => {
    const next = tokens[at + 1];
    const isWord = word === ':' && next?.start === start + 1 && next.kind === 'word';
    return isWord && /^(?:from|to|width)$/.test(next.known) ? [{ start, end: next.end }] : [];
  });
}

export function withWindow(text: string, values: WindowValues): SentText {
  const shifts: { readonly end: number; readonly by: number }[] = [];
  let sent = '';
  let at = 0;
  for (const { start, end } of windowWordsIn(text)) {
    const word = text.slice(start + 1, end).toLowerCase() as keyof WindowValues;
    sent += text.slice(at, start) + values[word];
    at = end;
    shifts.push({ end: sent.length, by: end - sent.length });
  }
  sent += text.slice(at);
  const writtenAt = (offset: number): number =>
    offset + (shifts.findLast(({ end }) => end <= offset)?.by ?? 0);
  return { text: sent, writtenAt };
}
