/**
 * Metrics by the name that they become under Prometheus' escaping by underscores: `host.cpu`
 * becomes `host_cpu`. A few seeks in the sorted names find them. No list of names is read or kept.
 */

import { foundMetrics } from './found-metrics.js';
import { KeptMap } from './kept-map.js';

import type { SeriesMatcher } from '../../common/model/series-matcher.js';
import type { SeriesStore } from '../../storage/storage.js';

/** Seeks for one name: some 20 ms. An underscore takes one for each character that stands there. */
const kSeeksMax = 256;
/** Names that are told where several become the same. */
const kFoundMax = 4;
/** Longer ones are stored nowhere. */
const kNameSizeMax = 255;
const kStoredMax = 16_384;
const kStoredMs = 60_000;

/** Behind everything that begins alike. */
const kLast = '\u{10ffff}';

export class EscapedNames {
  readonly #storage: SeriesStore;
  /** Names that were asked for and are stored. Forgotten in time, because deletions remove some. */
  readonly #stored = new KeptMap<string>({ sizeMax: kStoredMax, ms: kStoredMs });

  constructor(storage: SeriesStore) {
    this.#storage = storage;
  }

  /** Whether the name may be that of another metric, as far as that is known without a look. */
  mayBeEscaped(name: string): boolean {
    return (
      name.includes('_') && name.length <= kNameSizeMax && this.#stored.get(name) === undefined
    );
  }

  /** Names that become this one; none where it is stored itself. Null: too many begin alike. */
  async find(name: string): Promise<readonly string[] | null> {
    if (!this.mayBeEscaped(name)) return [];
    const [itself] = await foundMetrics(this.#storage, { metric: name, limit: 1 });
    if (itself !== undefined) {
      this.#stored.set(name, name);
      return [];
    }
    const search = new Search((prefix, after) => this.#first(prefix, after));
    await search.walk('', name);
    return search.isWhole ? search.found : null;
  }

  /** Matchers of a reader that knows escaped names alone, as the stored names have them. */
  async storedMatchers(matchers: readonly SeriesMatcher[]): Promise<readonly SeriesMatcher[]> {
    const named = matchers.find(({ key, op }) => key === '__name__' && op === '=');
    if (named === undefined) return matchers;
    const found = await this.find(named.value);
    const [only] = found?.length === 1 ? found : [];
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

  /** The first that begins so and comes behind. */
  async #first(prefix: string, after: string | undefined): Promise<string | null> {
    const [found] = await foundMetrics(this.#storage, { prefix, after, limit: 1 });
    return found?.metric ?? null;
  }
}

/** The native core escapes labels alike. */
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

  /** False: it ended before it had seen all. */
  get isWhole(): boolean {
    return this.#seeks <= kSeeksMax;
  }

  /** Names that begin with `prefix` and then become `rest`. */
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

/** The last of the range of characters that stay as they are; null: it becomes an underscore. */
function lastLiteral(one: string, isFirst: boolean): string | null {
  if (/[a-z]/.test(one)) return 'z';
  if (/[A-Z]/.test(one)) return 'Z';
  if (/[0-9]/.test(one)) return isFirst ? null : '9';
  return one === ':' ? ':' : null;
}

/** What an answer says of a name that is not stored and of those that become it. */
export function toldOfEscaped(name: string, found: readonly string[] | null): string {
  const told = `PromQL info: no metric is named ${name}`;
  if (found === null) return `${told}; too many names begin alike to say which become it`;
  const spelled = found.map((one) => `{${JSON.stringify(one)}}`);
  const escaping = "it under Prometheus' escaping";
  if (found.length === 1) {
    return `${told}; ${found.join()} was read, which becomes ${escaping} (write ${spelled.join()})`;
  }
  const more = found.length >= kFoundMax ? ' and perhaps more' : '';
  const list = `${spelled.join(', ')}${more}`;
  return `${told}; none was read, because several become ${escaping}: ${list}`;
}
