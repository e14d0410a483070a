/** A fault of a statement, and its position in the written text. */

import { AppError } from '../../common/errors/app-error.js';
import { skim } from '../../query/seriesql/language/lexer.js';
import { parseStatement } from '../../query/seriesql/language/parser.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

import type { SentText } from './window-words.js';

export interface TextFault {
  /** The range in the written text. */
  readonly span: { readonly from: number; readonly to: number };
  /** As `line 1, column 8`; both count from 1, columns in code points. */
  readonly place: string;
  readonly sentence: string;
  readonly hint: string;
  /** The probable replacement for the text at the place; null: none is known. */
  readonly meant: string | null;
}

/** The parser's faults; empty if the statement is blank. */
export function faultsIn(written: string, sent: SentText): readonly TextFault[] {
  if (sent.text.trim() === '') return [];
  try {
    parseStatement(new QueryText(sent.text));
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return readFaults(error.message, written, sent);
  }
}

const kPlaced = /^line (\d+), column (\d+): (.*)/;

/** Parses the messages of the parser and the server; empty if they name no position. */
export function readFaults(message: string, written: string, sent: SentText): readonly TextFault[] {
  const parts = message.split(/^(?=line \d+, column \d+: )/m);
  return parts.flatMap((part) => readFault(part, written, sent));
}

function readFault(message: string, written: string, sent: SentText): readonly TextFault[] {
  const [, line, column, sentence = ''] = kPlaced.exec(message) ?? [];
  const hint = /^hint: (.*)$/m.exec(message)?.[1] ?? '';
  if (line === undefined || column === undefined) return [];
  const from = Math.min(
    sent.writtenAt(offsetOf(sent.text, Number(line), Number(column))),
    written.length,
  );
  const token = skim(written).tokens.find(({ start, end }) => start <= from && from < end);
  const meant = /^did you mean (.+)\?$/.exec(hint)?.[1] ?? null;
  const span = { from, to: token?.end ?? from };
  return [{ span, place: placeOf(written, from), sentence, hint, meant }];
}

/** The offset of a line and a column that count code points. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join('').length
  );
}

/** For users: lines and columns from 1, columns in code points. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `line ${line}, column ${Array.from(before.slice(lineStart)).length + 1}`;
}

/** Replaces the faulty text by the suggestion. */
export function mended(text: string, { span, meant }: TextFault): string {
  return text.slice(0, span.from) + (meant ?? '') + text.slice(span.to);
}
