/** Tab completion, from the language's tables and from the server. */

import { visible } from '../../common/model/visible-text.js';
import { functionNames } from '../../query/seriesql/functions/function-names.js';
import { placeIn, type CursorPlace } from '../../query/seriesql/language/place.js';
import { columnNames, contextWords, reservedWords } from '../../query/seriesql/language/token.js';
import { quotedName } from '../../query/seriesql/language/written-name.js';

import type { CallOptions, SeriesDbClient } from '../../client/client.js';
import type { Completion } from './prompt.js';

type CompletionSource = Pick<SeriesDbClient, 'findMetrics' | 'labelValues'>;

/** The commands of the prompt and the kind of their argument. */
type OrderWords = ReadonlyMap<string, 'metric' | readonly string[]>;

/** The most names that are requested. If there are more, no single name is completed. */
const kFoundMax = 500;
const more = '…';
/** The longest wait for the server, so that Tab stays responsive. */
const kAnswerMs = 3000;

const languageWords: readonly string[] = [
  ...[...reservedWords, ...contextWords]
    .filter((word) => !functionNames.includes(word))
    .map((word) => `${word} `),
  ...functionNames.map((name) => `${name}(`),
  ...columnNames,
  ...['tag.', 'label.'],
];

export class Completer {
  readonly #client: CompletionSource;
  readonly #orders: OrderWords;

  constructor(client: CompletionSource, orders: OrderWords) {
    this.#client = client;
    this.#orders = orders;
  }

  /**
   * Resolves with words that start with the end of the text. Rejects if the server does not answer.
   */
  async complete(text: string): Promise<Completion> {
    const order = /^\s*(\\\S*|help)(\s+)?(.*)$/i.exec(text);
    if (order !== null) return this.#ofOrder(order);
    const place = placeIn(text);
    const found = (await this.#wordsFor(place)).filter((word) => visible(word) === word);
    const typed = place.kind === 'key' ? place.before + lastName(place) : place.part;
    return [[...new Set(found)].sort(), typed];
  }

  async #ofOrder([, name = '', gap, argument = '']: readonly string[]): Promise<Completion> {
    if (gap === undefined) return [startingWith([...this.#orders.keys()], name), name];
    const kind = this.#orders.get(name.toLowerCase()) ?? [];
    const words = kind === 'metric' ? await this.#metrics(argument) : kind;
    return [startingWith(words, argument).filter((word) => visible(word) === word), argument];
  }

  async #wordsFor(place: CursorPlace): Promise<readonly string[]> {
    switch (place.kind) {
      case 'nothing':
        return [];
      case 'word':
        return place.quote === '' ? wordsLike(place.part) : [];
      case 'metric':
        return (await this.#metrics(place.part)).map((name) => written(name, place.quote, metric));
      case 'key': {
        const keys = startingWith(await this.#keys(place.metric), lastName(place));
        const names = keys.map((key) => written(key, place.quote, word));
        return names.map((name) => place.before + name);
      }
      case 'value':
        return this.#values(place);
    }
  }

  async #metrics(prefix: string): Promise<string[]> {
    const found = await this.#client.findMetrics({ prefix, limit: kFoundMax }, soon());
    const names = found.map(({ metric }) => metric);
    return names.length < kFoundMax ? names : [...names, prefix + more];
  }

  async #keys(of: string | null): Promise<readonly string[]> {
    const filter = of === null ? { limit: kFoundMax } : { prefix: of };
    const found = await this.#client.findMetrics(filter, soon());
    const wanted = found.filter((one) => of === null || one.metric === of);
    return wanted.flatMap((one) => one.label_keys);
  }

  async #values(
    place: Extract<CursorPlace, { readonly kind: 'value' }>,
  ): Promise<readonly string[]> {
    const { key, metric: of, labels, part, quote } = place;
    if (quote === '"') return [];
    const filter = { key, prefix: part.replaceAll("''", "'"), limit: kFoundMax };
    const ofMetric = of === null ? {} : { metric: of };
    const besides = Object.keys(labels).length === 0 ? {} : { labels };
    const found = await this.#client.labelValues({ ...filter, ...ofMetric, ...besides }, soon());
    const open = quote === '' ? "'" : '';
    const values = found.map((value) => `${open}${value.replaceAll("'", "''")}'`);
    return found.length < kFoundMax ? values : [...values, open + part + more];
  }
}

/** The typed part of the name, without the path before it. */
function lastName(place: Extract<CursorPlace, { readonly kind: 'key' }>): string {
  return place.part.slice(place.before.length);
}

function soon(): CallOptions {
  return { signal: AbortSignal.timeout(kAnswerMs) };
}

function startingWith(words: readonly string[], part: string): string[] {
  return words.filter((word) => word.startsWith(part));
}

/** The words in the case of the typed part. */
function wordsLike(part: string): readonly string[] {
  const isUpper = /^[A-Z_]{2,}$/.test(part);
  const small = part.toLowerCase();
  const found = startingWith(languageWords, small);
  return isUpper ? found.map((word) => word.toUpperCase()) : found;
}

const word = /^[A-Za-z_]\w*$/;
const metric = /^[A-Za-z_]\w*(?:\.\w+)*…?$/;

/**
 * A name as a statement has it, after the typed quote. `plain` matches names without need of
 * quotes.
 */
function written(name: string, quote: CursorPlace['quote'], plain: RegExp): string {
  if (quote === "'") return `${name.replaceAll("'", "''")}'`;
  const inQuotes = quotedName(name);
  if (quote === '"') return inQuotes.slice(1);
  return plain.test(name) && !reservedWords.has(name) ? name : inQuotes;
}
