/** The filter of a metric's series: conditions on labels, written in braces as in SeriesQL. */

import { TokenCursor } from '../query/seriesql/language/cursor.js';
import { tokenize } from '../query/seriesql/language/lexer.js';
import { QueryText } from '../query/seriesql/language/query-text.js';
import { parseSource } from '../query/seriesql/language/source-parser.js';
import { keyAsWritten } from '../query/seriesql/language/written-name.js';

import { quoted } from './statements.js';

export const operators = ['=', '!=', '=~', '!~'] as const;
export type FilterOperator = (typeof operators)[number];

export interface Condition {
  readonly key: string;
  readonly op: FilterOperator;
  readonly value: string;
}

/** Null: the SeriesQL parser rejects it. */
export function readFilter(text: string): readonly Condition[] | null {
  try {
    const source = new QueryText(`m${text}`);
    const cursor = new TokenCursor(source, tokenize(source));
    const found = parseSource(cursor);
    if (found.kind !== 'name' || cursor.peek().kind !== 'end') return null;
    return found.matchers.map(({ key, op, value }) => ({ key, op, value }));
  } catch {
    return null;
  }
}

/** Empty if there is no condition. */
export function printFilter(conditions: readonly Condition[]): string {
  const parts = conditions.map(({ key, op, value }) => keyAsWritten(key) + op + quoted(value));
  return parts.length === 0 ? '' : `{${parts.join(', ')}}`;
}
