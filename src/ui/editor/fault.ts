/** What is wrong with a statement, and where in the text that a person wrote. */

import { AppError } from '../../common/errors/app-error.js';
import { skim } from '../../query/seriesql/language/lexer.js';
import { parseStatement } from '../../query/seriesql/language/parser.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

import type { SentText } from './window-words.js';

export interface Fault {
  /** Of the written text. */
  readonly span: { readonly from: number; readonly to: number };
  /** As `line 1, column 8`; both count from 1, columns in code points. */
  readonly place: string;
  readonly sentence: string;
  readonly hint: string;
  /** What was probably meant by what stands at the place. */
  readonly meant: string | null;
}

/** What the language itself finds; none where there is no statement yet. */
export function faultsIn(written: string, sent: SentText): readonly Fault[] {
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

/** Of a message as the language and the server word it; empty where it is about no place. */
export function readFaults(message: string, written: string, sent: SentText): readonly Fault[] {
  const parts = message.split(/^(?=line \d+, column \d+: )/m);
  return parts.flatMap((part) => readFault(part, written, sent));
}

function readFault(message: string, written: string, sent: SentText): readonly Fault[] {
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

/** Of a line and a column that count code points. */
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

/** For people: lines and columns from 1, columns in code points. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `line ${line}, column ${Array.from(before.slice(lineStart)).length + 1}`;
}

/** What was meant in the place of what stands there. */
export function mended(text: string, { span, meant }: Fault): string {
  return text.slice(0, span.from) + (meant ?? '') + text.slice(span.to);
}
