/**
 * The few InfluxQL statements that clients send before they write. CREATE DATABASE creates nothing:
 * every database name means this database.
 */

import { AppError } from '../../../common/errors/app-error.js';

const kMade = /^create\s+(?:database|retention\s+policy)\b/i;
const kDatabases = /^show\s+databases$/i;

/** The JSON answer. Throws `query_required`, and `unsupported_statement` for all others. */
export function answerInfluxql(text: string): string {
  const statements = text.split(';').map((one) => one.trim());
  const results = statements.filter((one) => one !== '').map(resultOf);
  if (results.length === 0) throw new AppError('query_required', 'missing required parameter "q"');
  return JSON.stringify({ results });
}

function resultOf(statement: string, index: number): object {
  if (kMade.test(statement)) return { statement_id: index };
  if (kDatabases.test(statement)) {
    const series = { name: 'databases', columns: ['name'], values: [['seriesdb']] };
    return { statement_id: index, series: [series] };
  }
  throw new AppError('unsupported_statement', 'InfluxQL is not supported; use SeriesQL');
}
