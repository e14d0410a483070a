/** A page of a listing of keys. */

import { elementTexts } from './store-answer.js';

export interface ListPage {
  /** Whole keys, in order of their bytes. */
  readonly keys: readonly string[];
  /** Of the next page; undefined: this is the last one. */
  readonly after?: string;
}

/** The query of a page: keys that begin with `prefix`. Stores return 1,000 at most. */
export function listQuery(prefix: string, after?: string): Readonly<Record<string, string>> {
  const token = after === undefined ? {} : { 'continuation-token': after };
  // Else a key with a control byte makes XML that nobody can read.
  return { 'list-type': '2', 'encoding-type': 'url', prefix, ...token };
}

export function parseListPage(xml: string): ListPage {
  const keys = elementTexts(xml, 'Key').map((key) => decodeURIComponent(key.replaceAll('+', ' ')));
  const [isMore] = elementTexts(xml, 'IsTruncated');
  const [after] = elementTexts(xml, 'NextContinuationToken');
  return isMore === 'true' && after !== undefined ? { keys, after } : { keys };
}
