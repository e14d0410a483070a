/**
 * The page's state in its address. All of it is in the fragment, which servers, proxies and logs
 * never see. A fragment holds statements of any length.
 */

import { elided } from '../common/model/visible-text.js';
import { isShift } from './shift.js';
import { isSpan, isWindowText } from './time-window.js';
import { isZone } from './zone.js';

export interface PagePlace {
  /** Without surrounding slashes; empty: the first page. */
  readonly page: string;
  /** In order. Unknown keys, perhaps of a later version, are preserved. */
  readonly keys: ReadonlyMap<string, string>;
}

interface KeyRow {
  /** Completes the sentence "“x=…” is not a valid …". */
  readonly kind: string;
  readonly isSound: (text: string) => boolean;
}

const anyText: KeyRow = { kind: 'text', isSound: (text) => text !== '' };

export const livePaces: Readonly<Record<string, number>> = {
  '2s': 2_000,
  '5s': 5_000,
  '10s': 10_000,
  '1m': 60_000,
};

const rows = {
  /** The metric. */
  m: { kind: 'metric name', isSound: anyText.isSound },
  /** The filter of its series, in braces as in SeriesQL. */
  w: { kind: 'filter in braces', isSound: (text) => /^\{.*\}$/s.test(text) },
  /** The label that splits the lines. */
  by: { kind: 'label name', isSound: anyText.isSound },
  /** The most lines. */
  n: { kind: 'number from 1 to 100, or 1000', isSound: (text) => /^([1-9]\d?|1000?)$/.test(text) },
  sort: { kind: 'order', isSound: (text) => /^-?\w+$/.test(text) },
  t: { kind: 'time range', isSound: isWindowText },
  /** The scale or range of the value axis. */
  y: { kind: 'axis range', isSound: (text) => text === '0' || text === 'log' || isRange(text) },
  hide: { kind: 'list of series', isSound: (text) => /^\d+(,\d+)*$/.test(text) },
  /** The time of the crosshair. */
  at: { kind: 'timestamp', isSound: (text) => /^-?\d{1,19}$/.test(text) },
  /** The ids of the only lines to draw. */
  only: { kind: 'list of series', isSound: (text) => /^\d+(,\d+)*$/.test(text) },
  /** The tab below the chart. */
  show: { kind: 'table', isSound: (text) => text === 'data' || text === 'statements' },
  live: { kind: 'refresh interval', isSound: (text) => Object.hasOwn(livePaces, text) },
  tz: { kind: 'time zone', isSound: isZone },
  /** The statement. */
  q: anyText,
  /** The language unless it is SeriesQL, and the kind of evaluation. */
  lang: { kind: 'language', isSound: (text) => text === 'promql' },
  over: { kind: 'evaluation', isSound: (text) => text === 'range' },
  /** The step of a range query, unless it fits the window. */
  step: { kind: 'duration', isSound: isSpan },
  /** Filters of notes: the kind, and a text that they contain. */
  kind: { kind: 'kind of note', isSound: anyText.isSound },
  x: anyText,
  /** The aggregate of a comparison, and the shift of its baseline. */
  agg: { kind: 'aggregate', isSound: (text) => /^(last|avg|sum|min|max|count|delta)$/.test(text) },
  shift: { kind: 'duration', isSound: isShift },
  /** The minimum silence of a silent series. */
  for: { kind: 'duration', isSound: isSpan },
  /** The label whose values are shown. */
  k: { kind: 'label name', isSound: anyText.isSound },
} as const satisfies Readonly<Record<string, KeyRow>>;

export type Key = keyof typeof rows;

/** `18.5..40` */
function isRange(text: string): boolean {
  const [low = NaN, high = NaN] = text.split('..').map(Number);
  return /^-?\d\S*\.\.-?\d\S*$/.test(text) && low < high;
}

const rowByKey = new Map<string, KeyRow>(Object.entries(rows));

/** `fragment` may start with `#`. Never throws: `faultsIn` reports invalid values. */
export function readPlace(fragment: string): PagePlace {
  const text = fragment.replace(/^#/, '').replace(/^\/+/, '');
  const mark = text.indexOf('?');
  const page = (mark < 0 ? text : text.slice(0, mark)).replace(/\/+$/, '');
  const pairs = mark < 0 ? [] : text.slice(mark + 1).split('&');
  const keys = pairs.filter(Boolean).map((pair) => {
    const [key = ''] = pair.split('=', 1);
    return [decoded(key), decoded(pair.slice(key.length + 1))] as const;
  });
  return { page: decoded(page), keys: new Map(keys) };
}

/** Returns a text with invalid encoding unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Leaves readable characters that browsers accept unencoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|2C|2F|3D|7B|7D)/g, decodeURIComponent);

export function printPlace({ page, keys }: PagePlace): string {
  const pairs = [...keys].map(([key, value]) => `${encodeURIComponent(key)}=${encoded(value)}`);
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `#/${page.split('/').map(encoded).join('/')}${query}`;
}

/** The value of a key; null if it is missing or invalid. */
export function valueIn(place: PagePlace, key: Key): string | null {
  const text = place.keys.get(key);
  return text !== undefined && rows[key].isSound(text) ? text : null;
}

/** Changes some keys; null removes a key. */
export function changed(
  place: PagePlace,
  changes: Readonly<Partial<Record<Key, string | null>>>,
): PagePlace {
  const keys = new Map(place.keys);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) keys.delete(key);
    else keys.set(key, value);
  }
  return { ...place, keys };
}

/** The keys that stay when the user changes the page. */
const shared: readonly Key[] = ['t', 'live', 'tz'];

export function placeOfPage(page: string, from: PagePlace): PagePlace {
  const kept = [...from.keys].filter(([key]) => shared.some((one) => one === key));
  return { page, keys: new Map(kept) };
}

/** A sentence for each known key with an invalid value. */
export function faultsIn({ keys }: PagePlace): readonly string[] {
  return [...keys].flatMap(([key, text]) => {
    const row = rowByKey.get(key);
    if (row === undefined || row.isSound(text)) return [];
    return [`“${key}=${elided(text, 40)}” is not a valid ${row.kind}; using the default.`];
  });
}
