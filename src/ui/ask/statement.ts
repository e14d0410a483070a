/** What a statement does, as far as the page has to know before it is sent. */

import { AppError } from '../../common/errors/app-error.js';
import { parseStatement } from '../../query/seriesql/language/parser.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

import type { Statement } from '../../query/seriesql/language/ast.js';

/** Null for what is no statement: the server says why. */
export function statementOf(text: string): Statement | null {
  try {
    return parseStatement(new QueryText(text));
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** It changes nothing, so that a link may have it run. */
export function isHarmless(statement: Statement | null): boolean {
  if (statement?.kind === 'explain') return isHarmless(statement.statement);
  return statement?.kind === 'select' || statement?.kind === 'show';
}

/** Texts of INSERT are data, which this browser does not keep. */
export function mayBeKept(text: string): boolean {
  return !/^\s*(?:explain\s+(?:\w+\s+)?)?insert\b/i.test(text);
}

/** Without an EXPLAIN around it and a semicolon behind it. */
export function plainStatement(text: string, statement: Statement | null): string {
  const inner = statement?.kind === 'explain' ? statement.statement : statement;
  return inner === null ? text : text.slice(inner.span.start, inner.span.end);
}

/** How its work is told: a SELECT is run for it, others are not. */
export function explanationOf(text: string): string {
  const statement = statementOf(text);
  const plain = plainStatement(text, statement);
  const inner = statement?.kind === 'explain' ? statement.statement : statement;
  return `explain ${inner?.kind === 'select' ? 'analyze ' : ''}${plain}`;
}

export interface Change {
  readonly verb: 'DELETE' | 'INSERT';
  /** As it is written, with what stands in braces. */
  readonly target: string;
  /** The condition, or the rows. */
  readonly what: string;
  /** Counts what it takes away; null where nothing is. */
  readonly count: string | null;
}

/** A statement that counts samples names a range. */
const allTimes = 'time between -9223372036854775808 and 9223372036854775807';

/** Of a statement that is asked about before it runs; null: it may run. */
export function changeOf(text: string): Change | null {
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
