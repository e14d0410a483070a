/** The query string: percent-decoded, `+` is a space, the first of equal names counts. */

import { AppError } from '../../errors/app-error.js';

type Parameters = ReadonlyMap<string, string>;

const none: Parameters = new Map();

/** Throws `invalid_query_string`. */
export function parseParameters(query: string): Parameters {
  if (query === '') return none;
  const found = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const mark = pair.indexOf('=');
    const name = decode(mark < 0 ? pair : pair.slice(0, mark));
    if (!found.has(name)) found.set(name, mark < 0 ? '' : decode(pair.slice(mark + 1)));
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_query_string', 'the query string is not valid', { cause });
  }
}
