/**
 * Finds metrics by their Prometheus name, where underscores replace other characters: `host_cpu`
 * for `host.cpu`. It needs a few seeks in the sorted names.
 */

import { namesLike, nearWord } from '../../common/model/nearest.js';
import { goQuote } from '../../query/promql/syntax/quote.js';

import { foundMetrics } from './found-metrics.js';
import { KeptMap } from './kept-map.js';
import { metricNames } from './meant-metric.js';

import type { SeriesMatcher } from '../../common/model/series-matcher.js';
import type { SeriesStore } from '../../storage/storage.js';

/**
 * The most seeks for one name: some 20 ms. Each underscore takes one seek per character found in
 * its place.
 */
const kSeeksMax = 256;
/** The most stored names in an answer, if several have the same escaped name. */
const kFoundMax = 4;
/** The longest stored name, in bytes. */
const kNameSizeMax = 255;
const kStoredMax = 16_384;
const kListsMax = 4;
/** Longer names are not compared. */
const kNearMax = 64;
const kStoredMs = 60_000;

export interface SearchedName {
  readonly isStored: boolean;
  /**
   * Names whose escaped form is the searched one, if that is not stored. Null if there are too many
   * candidates.
   */
  readonly escaped: readonly string[] | null;
}

/** Sorts after all names with the same prefix. */
const kLast = '\u{10ffff}';

export class EscapedNames {
  readonly #storage: SeriesStore;
  /**
   * Requested names that are stored as they are. They expire, because a deletion may remove a
   * metric.
   */
  readonly #stored = new KeptMap<string>({ sizeMax: kStoredMax, ms: kStoredMs });
  /** Requested names and a similar one; empty if there is none. */
  readonly #near = new KeptMap<string>({ sizeMax: kStoredMax, ms: kStoredMs });
  /** Lists of names by their beginning, of 2,000 names at most. Several look-ups share one. */
  readonly #lists = new KeptMap<readonly string[]>({ sizeMax: kListsMax, ms: kStoredMs });

  constructor(storage: SeriesStore) {
    this.#storage = storage;
  }

  /** False if it is known that the name is stored, or that no other name is meant by it. */
  mayMeanOther(name: string): boolean {
    if (this.#isKnown(name)) return false;
    return name.includes('_') || this.#near.get(name) !== '';
  }

  /** True also for a name that is too long to have another form. */
  #isKnown(name: string): boolean {
    return name.length > kNameSizeMax || this.#stored.get(name) !== undefined;
  }

  async find(name: string): Promise<SearchedName> {
    if (this.#isKnown(name)) return { isStored: true, escaped: [] };
    const [itself] = await foundMetrics(this.#storage, { metric: name, limit: 1 });
    if (itself !== undefined) {
      this.#stored.set(name, name);
      return { isStored: true, escaped: [] };
    }
    if (!name.includes('_')) return { isStored: false, escaped: [] };
    const search = new Search((prefix, after) => this.#first(prefix, after));
    await search.walk('', name);
    return { isStored: false, escaped: search.isWhole ? search.found : null };
  }

  /** A similar metric; undefined if there is none. Never rejects. */
  async near(name: string): Promise<string | undefined> {
    if (name.length > kNearMax) return undefined;
    const known = this.#near.get(name);
    if (known !== undefined) return known === '' ? undefined : known;
    const like = await this.#like(name).catch(() => null);
    if (like === null) return undefined;
    // A list may be older than the deletion of the name.
    const others = like.filter((one) => one !== name);
    const near = nearWord(name, others);
    this.#near.set(name, near ?? '');
    return near;
  }

  async #like(name: string): Promise<readonly string[]> {
    return namesLike(name, async (prefix) => {
      const known = this.#lists.get(prefix);
      if (known !== undefined) return known;
      const list = await metricNames(this.#storage, prefix);
      this.#lists.set(prefix, list);
      return list;
    });
  }

  /** Replaces escaped names and keys in a reader's matchers by the stored ones. */
  async storedMatchers(matchers: readonly SeriesMatcher[]): Promise<readonly SeriesMatcher[]> {
    const named = matchers.find(({ key, op }) => key === '__name__' && op === '=');
    if (named === undefined) return matchers;
    const { escaped } = await this.find(named.value);
    const [only] = escaped?.length === 1 ? escaped : [];
    const metric = only ?? named.value;
    const keys = await this.#labelKeys(metric);
    return matchers.map((matcher) => {
      if (matcher === named) return { ...matcher, value: metric };
      if (keys.includes(matcher.key)) return matcher;
      const meant = keys.filter((key) => escapedKey(key) === matcher.key);
      const [key] = meant.length === 1 ? meant : [];
      return key === undefined ? matcher : { ...matcher, key };
    });
  }

  async #labelKeys(metric: string): Promise<readonly string[]> {
    const [found] = await foundMetrics(this.#storage, { metric, limit: 1 });
    return found?.label_keys ?? [];
  }

  /** The first name with the prefix that sorts after `after`. */
  async #first(prefix: string, after: string | undefined): Promise<string | null> {
    const [found] = await foundMetrics(this.#storage, { prefix, after, limit: 1 });
    return found?.metric ?? null;
  }
}

/** The native core escapes labels in the same way. */
function escapedKey(key: string): string {
  return Array.from(key, (one, at) => (isPlain(one, at === 0) ? one : '_')).join('');
}

const isPlain = (one: string, isFirst: boolean): boolean =>
  /[A-Za-z_]/.test(one) || (!isFirst && /[0-9]/.test(one));

type Seek = (prefix: string, after: string | undefined) => Promise<string | null>;

class Search {
  readonly found: string[] = [];
  readonly #seek: Seek;
  #seeks = 0;

  constructor(seek: Seek) {
    this.#seek = seek;
  }

  /** False if the search reached its limit. */
  get isWhole(): boolean {
    return this.#seeks <= kSeeksMax;
  }

  /** Finds names that begin with `prefix` and whose remainder escapes to `rest`. */
  async walk(prefix: string, rest: string): Promise<void> {
    const [literal = ''] = /^[^_]*/.exec(rest) ?? [];
    const head = prefix + literal;
    const tail = rest.slice(literal.length);
    if (tail === '') {
      if ((await this.#first(head)) === head) this.found.push(head);
      return;
    }
    let after = head === '' ? undefined : head;
    while (this.found.length < kFoundMax) {
      const name = await this.#first(head, after);
      if (name === null) return;
      const one = String.fromCodePoint(name.codePointAt(head.length) ?? 0);
      const last = lastLiteral(one, head === '');
      if (last === null) await this.walk(head + one, tail.slice(1));
      after = head + (last ?? one) + kLast;
    }
  }

  async #first(prefix: string, after?: string): Promise<string | null> {
    this.#seeks += 1;
    return this.#seeks > kSeeksMax ? null : this.#seek(prefix, after);
  }
}

/**
 * The last character in the range of unescaped characters of `one`. Null if `one` becomes an
 * underscore.
 */
function lastLiteral(one: string, isFirst: boolean): string | null {
  if (/[a-z]/.test(one)) return 'z';
  if (/[A-Z]/.test(one)) return 'Z';
  if (/[0-9]/.test(one)) return isFirst ? null : '9';
  return one === ':' ? ':' : null;
}

const toldOfMissing = (name: string): string => `PromQL info: no metric is named ${name}`;

/** The note of an answer about a name that is not stored, and a similar one. */
export function toldOfNear(name: string, near: string): string {
  const written = /^[A-Za-z_:][\w:]*$/.test(near) ? near : `{${goQuote(near)}}`;
  return `${toldOfMissing(name)}; did you mean ${written}?`;
}

/** The note of an answer about a name that is not stored, and the names that escape to it. */
export function toldOfEscaped(name: string, found: readonly string[] | null): string {
  const told = toldOfMissing(name);
  if (found === null) return `${told}; too many names begin alike to say which become it`;
  const spelled = found.map((one) => `{${goQuote(one)}}`);
  const escaping = "it under Prometheus' escaping";
  if (found.length === 1) {
    return `${told}; ${found.join()} was read, which becomes ${escaping} (write ${spelled.join()})`;
  }
  const more = found.length >= kFoundMax ? ' and perhaps more' : '';
  const list = `${spelled.join(', ')}${more}`;
  return `${told}; none was read, because several become ${escaping}: ${list}`;
}
