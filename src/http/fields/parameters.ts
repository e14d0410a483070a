/** The query string: percent-decoded, `+` is a space, the first of equal names counts. */

import { AppError } from '../../common/errors/app-error.js';

type Parameters = ReadonlyMap<string, string>;

const none: Parameters = new Map();

/** Throws `invalid_query_string`. */
export function parseParameters(query: string): Parameters {
  if (query === '') return none;
  const found = new Map<string, string>();
  eachPair(query, (name, value) => {
    if (!found.has(name)) found.set(name, decode(value));
  });
  return found;
}

/** The values of every parameter of this name. Throws `invalid_query_string`. */
export function repeatedParameter(query: string, wanted: string): readonly string[] {
  const found: string[] = [];
  eachPair(query, (name, value) => {
    if (name === wanted) found.push(decode(value));
  });
  return found;
}

/** Takes raw names and values. */
function eachPair(query: string, take: (name: string, value: string) => void): void {
  for (let begin = 0; begin < query.length;) {
    const next = query.indexOf('&', begin);
    const end = next < 0 ? query.length : next;
    if (end > begin) takePair(query.slice(begin, end), take);
    begin = end + 1;
  }
}

function takePair(pair: string, take: (name: string, value: string) => void): void {
  const mark = pair.indexOf('=');
  if (mark < 0) take(decode(pair), '');
  else take(decode(pair.slice(0, mark)), pair.slice(mark + 1));
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_query_string', 'the query string is not valid', { cause });
  }
}
