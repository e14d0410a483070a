/** Names as a statement has them. */

import { reservedWords } from './token.js';

const plainWord = /^[A-Za-z_]\w*$/;
const plainMetric = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** In quotes where it would not be a name without them. */
export function metricAsWritten(name: string): string {
  const [first = ''] = name.toLowerCase().split('.');
  return plainMetric.test(name) && !reservedWords.has(first) ? name : quotedName(name);
}

/** The same of the key of a label; `metric` would be read as the name of the metric. */
export function keyAsWritten(key: string): string {
  const isPlain = plainWord.test(key) && key !== 'metric' && !reservedWords.has(key.toLowerCase());
  return isPlain ? key : quotedName(key);
}
