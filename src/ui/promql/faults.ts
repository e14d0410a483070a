/** The faults of an expression and their positions. */

import { AppError } from '../../common/errors/app-error.js';
import { nearWord } from '../../common/model/nearest.js';
import { promqlList } from '../../query/promql/functions/promql-list.js';
import { parseText } from '../../query/promql/syntax/parser.js';
import { placeOf, type TextFault } from '../editor/fault.js';
import { skim } from './skim.js';

import type { PromqlExpression } from '../../query/promql/syntax/ast.js';

export const functions = new Map(promqlList.map(({ name, signature }) => [name, { signature }]));

const known = { functions, patternProblem: () => null };

/** Throws where the text is no expression. */
export function treeOf(text: string): PromqlExpression {
  return parseText(text, known).expression;
}

/** What the parser finds: of types and of regular expressions it knows nothing. */
export function faultsIn(text: string): readonly TextFault[] {
  if (text.trim() === '') return [];
  try {
    treeOf(text);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint = '' } = error;
    return readFaults(message, text).map((fault) =>
      fault.meant === null ? { ...fault, hint } : fault,
    );
  }
}

const kPlaced = /^(?:invalid parameter "query": )?(\d+):(\d+): parse error: ([^]*)$/;

/** Parses a message as Prometheus words it; empty if it names no position. */
export function readFaults(message: string, text: string): readonly TextFault[] {
  const [, line, column, sentence = ''] = kPlaced.exec(message) ?? [];
  if (line === undefined || column === undefined) return [];
  const from = Math.min(offsetOf(text, Number(line), Number(column)), text.length);
  const token = skim(text).tokens.find(({ start, end }) => start <= from && from < end);
  const span = { from, to: token?.end ?? from };
  const place = placeOf(text, from);
  return [{ span, place, sentence, hint: '', meant: meantBy(sentence) }];
}

function meantBy(sentence: string): string | null {
  const name = /^unknown function with name "(\w+)"/.exec(sentence)?.[1];
  return name === undefined ? null : (nearWord(name, functions.keys()) ?? null);
}

/** The offset of a line from 1, and of a column from 1 in bytes of UTF-8. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  const bytes = new TextEncoder().encode(text.slice(start)).subarray(0, column - 1);
  return start + new TextDecoder().decode(bytes).length;
}
