/** The facts about a statement that the page needs before it sends it. */

import { AppError } from '../../common/errors/app-error.js';
import { parseStatement } from '../../query/seriesql/language/parser.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

import type { QueryColumn } from '../../client/client.js';
import type { Statement } from '../../query/seriesql/language/ast.js';

/** Null if the text does not parse; the server then reports the error. */
export function statementOf(text: string): Statement | null {
  try {
    return parseStatement(new QueryText(text));
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** True if the statement only reads, so that opening a link may run it. */
export function isHarmless(statement: Statement | null): boolean {
  if (statement?.kind === 'explain') return isHarmless(statement.statement);
  return statement?.kind === 'select' || statement?.kind === 'show';
}

/** False for INSERT, whose text contains data; this browser must not store it. */
export function mayBeKept(text: string): boolean {
  return !/^\s*(?:explain\s+(?:\w+\s+)?)?insert\b/i.test(text);
}

/** The statement without its EXPLAIN and its final semicolon. */
export function plainStatement(text: string, statement: Statement | null): string {
  const inner = statement?.kind === 'explain' ? statement.statement : statement;
  return inner === null ? text : text.slice(inner.span.start, inner.span.end);
}

/** The EXPLAIN of a statement; only a SELECT is run for it (EXPLAIN ANALYZE). */
export function explanationOf(text: string): string {
  const statement = statementOf(text);
  const plain = plainStatement(text, statement);
  const inner = statement?.kind === 'explain' ? statement.statement : statement;
  return `explain ${inner?.kind === 'select' ? 'analyze ' : ''}${plain}`;
}

/**
 * The columns of an answer, each unnamed expression headed by its text: `avg(value)` instead of
 * `avg_0`. A text that is already a heading leaves the answer's name.
 */
export function headed(text: string, columns: readonly QueryColumn[]): readonly QueryColumn[] {
  const statement = statementOf(text);
  if (statement?.kind !== 'select') return columns;
  const { items } = statement;
  // A `*` has several columns, so an item's position would not be its column's.
  if (items.length !== columns.length) return columns;
  const taken = new Set(columns.map(({ name }) => name));
  return columns.map((column, at) => {
    const item = items[at];
    if (item?.kind !== 'expression' || item.alias !== null) return column;
    const { start, end } = item.span;
    const name = text.slice(start, end).replace(/\s+/g, ' ');
    if (taken.has(name)) return column;
    taken.add(name);
    return { ...column, name };
  });
}

export interface StatementChange {
  readonly verb: 'DELETE' | 'INSERT';
  /** The target as written, including its braces. */
  readonly target: string;
  /** The condition of a DELETE, or the rows of an INSERT. */
  readonly what: string;
  /** A statement that counts the samples to delete; null for an INSERT. */
  readonly count: string | null;
}

/** Counting samples requires a time range. */
const allTimes = 'time between -9223372036854775808 and 9223372036854775807';

/** The change to confirm before the statement runs; null: no confirmation is needed. */
export function changeOf(text: string): StatementChange | null {
  const statement = statementOf(text);
  if (statement?.kind === 'delete') {
    const target = text.slice(statement.from.span.start, statement.from.span.end);
    const { where } = statement;
    const condition = where === null ? '' : text.slice(where.span.start, where.span.end);
    const what = condition === '' ? 'all times' : condition;
    const filter = condition === '' ? allTimes : condition;
    const count = `select count(*), count(distinct series_id) from ${target} where ${filter}`;
    return { verb: 'DELETE', target, what, count };
  }
  if (statement?.kind !== 'insert') return null;
  const labels = statement.labels.map(({ key, value }) => `${key}='${value}'`).join(', ');
  const target = statement.name + (labels === '' ? '' : `{${labels}}`);
  const { length } = statement.rows;
  const what = length === 1 ? 'one sample' : `${length} samples`;
  return { verb: 'INSERT', target, what, count: null };
}
