/** Names as a statement writes them. */

import { reservedWords } from './token.js';

const plainWord = /^[A-Za-z_]\w*$/;
const plainMetric = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quoted only if necessary. */
export function metricAsWritten(name: string): string {
  const [first = ''] = name.toLowerCase().split('.');
  return plainMetric.test(name) && !reservedWords.has(first) ? name : quotedName(name);
}

/** A label key, quoted only if necessary. An unquoted `metric` would mean the metric's name. */
export function keyAsWritten(key: string): string {
  const isPlain = plainWord.test(key) && key !== 'metric' && !reservedWords.has(key.toLowerCase());
  return isPlain ? key : quotedName(key);
}
