/** The query string: percent-decoded, `+` is a space, the first of equal names counts. */

import { AppError } from '../../errors/app-error.js';

type Parameters = ReadonlyMap<string, string>;

const none: Parameters = new Map();

/** Throws `invalid_query_string`. */
export function parseParameters(query: string): Parameters {
  if (query === '') return none;
  const found = new Map<string, string>();
  for (const [name, value] of pairsOf(query)) {
    if (!found.has(name)) found.set(name, decode(value));
  }
  return found;
}

/** The values of every parameter of this name. Throws `invalid_query_string`. */
export function repeatedParameter(query: string, wanted: string): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of pairsOf(query)) if (name === wanted) found.push(decode(value));
  return found;
}

/** Names, and values as they stand there. */
function pairsOf(query: string): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const mark = pair.indexOf('=');
    if (mark < 0) pairs.push([decode(pair), '']);
    else pairs.push([decode(pair.slice(0, mark)), pair.slice(mark + 1)]);
  }
  return pairs;
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_query_string', 'the query string is not valid', { cause });
  }
}
