/** A page of a listing of keys. */

import { elementTexts } from './store-answer.js';

export interface ListPage {
  /** Whole keys, in order of their bytes. */
  readonly keys: readonly string[];
  /** In bytes, one for each key. */
  readonly sizes: readonly number[];
  readonly hasMore: boolean;
}

interface ListedPart {
  readonly prefix: string;
  /** Keys above this one; '' = from the first. */
  readonly after?: string;
  /** Stores return 1,000 at most. */
  readonly countMax?: number;
}

/** The query of a page. */
export function listQuery({
  prefix,
  after = '',
  countMax = 1000,
}: ListedPart): Readonly<Record<string, string>> {
  // Without the encoding, a key with a control byte makes XML that nobody can read.
  const whole = { 'list-type': '2', 'encoding-type': 'url', prefix, 'max-keys': String(countMax) };
  return after === '' ? whole : { ...whole, 'start-after': after };
}

/** Throws if the text is no listing. */
export function parseListPage(xml: string): ListPage {
  const keys = elementTexts(xml, 'Key').map((key) => decodeURIComponent(key.replaceAll('+', ' ')));
  const sizes = elementTexts(xml, 'Size').map(Number);
  const [isMore] = elementTexts(xml, 'IsTruncated');
  const isWhole = isMore !== undefined && sizes.length === keys.length;
  if (!isWhole || !sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new Error('the answer is no listing of keys');
  }
  return { keys, sizes, hasMore: isMore === 'true' };
}
