/**
 * What the page shows, as its address: all of it stands behind the `#`, which no server, proxy or
 * log is ever sent, and which holds statements of any length.
 */

import { isShift } from './shift.js';
import { isSpan, isWindowText } from './time-window.js';
import { isZone } from './zone.js';

export interface Place {
  /** Without slashes around it; empty: the first page. */
  readonly page: string;
  /** In their order. Some may be of a later version: they are kept. */
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
  /** Which of its series, in braces as SeriesQL has them. */
  w: { kind: 'filter in braces', isSound: (text) => /^\{.*\}$/s.test(text) },
  /** The label by which lines are split. */
  by: { kind: 'label name', isSound: anyText.isSound },
  /** Most lines. */
  n: { kind: 'number from 1 to 100, or 1000', isSound: (text) => /^([1-9]\d?|1000?)$/.test(text) },
  sort: { kind: 'order', isSound: (text) => /^-?\w+$/.test(text) },
  t: { kind: 'time range', isSound: isWindowText },
  /** Where the axis of values begins, or also where it ends. */
  y: { kind: 'axis range', isSound: (text) => text === '0' || text === 'log' || isRange(text) },
  hide: { kind: 'list of series', isSound: (text) => /^\d+(,\d+)*$/.test(text) },
  /** Where the crosshair stands. */
  at: { kind: 'timestamp', isSound: (text) => /^-?\d{1,19}$/.test(text) },
  /** Of the lines, these alone. */
  only: { kind: 'list of series', isSound: (text) => /^\d+(,\d+)*$/.test(text) },
  /** What stands below a chart. */
  show: { kind: 'table', isSound: (text) => text === 'data' || text === 'statements' },
  live: { kind: 'refresh interval', isSound: (text) => Object.hasOwn(livePaces, text) },
  tz: { kind: 'time zone', isSound: isZone },
  /** The statement. */
  q: anyText,
  /** The language of it, where it is not SeriesQL, and over what it is asked. */
  lang: { kind: 'language', isSound: (text) => text === 'promql' },
  over: { kind: 'evaluation', isSound: (text) => text === 'range' },
  /** How far its values lie apart then, where it is not as far as fits the time. */
  step: { kind: 'duration', isSound: isSpan },
  /** Of notes: what they are, and what they have in their texts. */
  kind: { kind: 'kind of note', isSound: anyText.isSound },
  x: anyText,
  /** What is made of the samples of a window, and how much earlier the other one is. */
  agg: { kind: 'aggregate', isSound: (text) => /^(last|avg|sum|min|max|count|delta)$/.test(text) },
  shift: { kind: 'duration', isSound: isShift },
  /** For how long a series is silent. */
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

/** `fragment` with or without its `#`. Nothing makes it fail: what is bad is told by `faultsIn`. */
export function readPlace(fragment: string): Place {
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

/** A text that is no sound encoding is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Encoded as little as browsers leave alone, so that an address can be read. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|2C|2F|3D|7B|7D)/g, decodeURIComponent);

export function printPlace({ page, keys }: Place): string {
  const pairs = [...keys].map(([key, value]) => `${encodeURIComponent(key)}=${encoded(value)}`);
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `#/${page.split('/').map(encoded).join('/')}${query}`;
}

/** The value of a key that can be used; null where it is absent or bad. */
export function valueIn(place: Place, key: Key): string | null {
  const text = place.keys.get(key);
  return text !== undefined && rows[key].isSound(text) ? text : null;
}

/** The place with some keys changed; null takes one away. */
export function changed(
  place: Place,
  changes: Readonly<Partial<Record<Key, string | null>>>,
): Place {
  const keys = new Map(place.keys);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) keys.delete(key);
    else keys.set(key, value);
  }
  return { ...place, keys };
}

/** What pages share, so that who goes to another one keeps it. */
const shared: readonly Key[] = ['t', 'live', 'tz'];

export function placeOfPage(page: string, from: Place): Place {
  const kept = [...from.keys].filter(([key]) => shared.some((one) => one === key));
  return { page, keys: new Map(kept) };
}

/** A sentence for each key that is known and bad. */
export function faultsIn({ keys }: Place): readonly string[] {
  return [...keys].flatMap(([key, text]) => {
    const row = rowByKey.get(key);
    if (row === undefined || row.isSound(text)) return [];
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    return [`“${key}=${shown}” is not a valid ${row.kind}; using the default.`];
  });
}
