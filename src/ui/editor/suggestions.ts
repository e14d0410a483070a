/** Completion of SeriesQL at a position. */

import { functionList } from '../../query/seriesql/functions/function-list.js';
import { placeIn, type CursorPlace } from '../../query/seriesql/language/place.js';
import { columnNames } from '../../query/seriesql/language/token.js';
import { keyAsWritten, metricAsWritten } from '../../query/seriesql/language/written-name.js';
import { quoted } from '../statements.js';
import { printCount, unitSymbol } from '../units.js';

import type { MetricDescriptor } from '../../client/client.js';

export interface Suggestion {
  readonly label: string;
  /** The text that it inserts. */
  readonly text: string;
  readonly kind: 'metric' | 'label' | 'value' | 'column' | 'function' | 'word';
  readonly detail?: string;
  /** A sentence about it. */
  readonly info?: string;
}

export interface Suggestions {
  /** The range that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly Suggestion[];
}

/** The text, the cursor's offset, and a signal that aborts when either changes. */
export interface Standing {
  readonly text: string;
  readonly at: number;
  readonly signal: AbortSignal;
}

/** Looks up names and values of the database. */
export interface Knowledge {
  readonly metricsLike: (
    prefix: string,
    signal: AbortSignal,
  ) => Promise<readonly MetricDescriptor[]>;
  readonly keysOf: (metric: string | null, signal: AbortSignal) => Promise<readonly string[]>;
  readonly valuesOf: (
    filter: {
      readonly key: string;
      readonly metric?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly prefix: string;
    },
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
}

export async function suggest(
  { text, at, signal }: Standing,
  knowledge: Knowledge,
): Promise<Suggestions> {
  const place = placeIn(text.slice(0, at), text.slice(at));
  const isValue = place.kind === 'word' && place.begins === 'value' && place.quote === '';
  const own = isValue ? aliasesIn(text) : [];
  const options = [...own, ...(await optionsFor(place, knowledge, { text, at, signal }))];
  const path = place.kind === 'key' ? place.before.length : 0;
  const from = at - place.part.length + path - (place.quote === '' ? 0 : 1);
  const isClosed = place.quote !== '' && text[at] === place.quote;
  return { from, to: isClosed ? at + 1 : at, options };
}

async function optionsFor(
  place: CursorPlace,
  knowledge: Knowledge,
  { text, at, signal }: Standing,
): Promise<readonly Suggestion[]> {
  switch (place.kind) {
    case 'nothing':
      return [];
    case 'word':
      return place.quote === '' ? wordsFor(place, text.slice(0, at - place.part.length)) : [];
    case 'metric': {
      const found = await knowledge.metricsLike(place.part, signal);
      return found.map((one) => {
        const { metric } = one;
        return ofMetric(one, place.quote === "'" ? quoted(metric) : metricAsWritten(metric));
      });
    }
    case 'key': {
      const keys = await knowledge.keysOf(place.metric, signal);
      const detail = place.metric ?? 'label';
      return keys.map((key) => ({ label: key, text: keyAsWritten(key), kind: 'label', detail }));
    }
    case 'value':
      return place.quote === '"' ? [] : valuesFor(place, knowledge, signal);
  }
}

/** `text` is the name as the language writes it. */
export function ofMetric(one: MetricDescriptor, text: string): Suggestion {
  const { metric, kind, unit = '', description = '', series_count: count } = one;
  const series = `${printCount(count)} series`;
  return {
    ...{ label: metric, text, kind: 'metric' },
    detail: [kind, unitSymbol(unit), series].filter(Boolean).join(' · '),
    ...(description === '' ? {} : { info: description }),
  };
}

async function valuesFor(
  place: Extract<CursorPlace, { readonly kind: 'value' }>,
  knowledge: Knowledge,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const { key, metric, labels, part } = place;
  const filter = { key, prefix: part.replaceAll("''", "'") };
  const ofMetric = metric === null ? {} : { metric };
  const besides = Object.keys(labels).length === 0 ? {} : { labels };
  const found = await knowledge.valuesOf({ ...filter, ...ofMetric, ...besides }, signal);
  return found.map((value) => ({
    ...{ label: value, text: quoted(value), kind: 'value', detail: key },
  }));
}

const word = (text: string): Suggestion => ({ label: text.trim(), text, kind: 'word' });
const words = (...texts: readonly string[]): readonly Suggestion[] => texts.map(word);

const statements = words(
  ...['select ', 'show metrics', 'show series from ', 'show labels from '],
  ...['show label values for ', 'explain ', 'explain analyze ', 'insert into ', 'delete from '],
);

const clauses = words(
  ...['from ', 'where ', 'group by ', 'having ', 'order by ', 'limit ', 'offset '],
  ...['and ', 'or ', 'not ', 'in (', 'between ', 'like ', 'is null', 'is not null', 'as '],
  ...['asc', 'desc', 'by ', 'fill(none)', 'fill(null)', 'fill(previous)', 'fill(linear)'],
  ...['values ', 'metrics', 'series ', 'labels ', 'label values for ', 'then ', 'else ', 'end'],
);

const columnWords: Readonly<Record<(typeof columnNames)[number], string>> = {
  time: 'timestamp of a sample',
  value: 'value of a sample',
  metric: 'name of its metric',
  series_id: 'id of its series',
};

/** Looks like a function to the user, but is part of the grammar. */
const grammar = [
  ['time_bucket(width, time [, zone])', 'The start of the time bucket of a sample.'],
  ['now()', 'The time of the query.'],
  ['today([zone])', 'The start of today.'],
  ['yesterday([zone])', 'The start of yesterday.'],
  ['this_week([zone])', 'The start of this week, a Monday.'],
  ['cast(x as type)', 'As an integer, a float or a string.'],
] as const;

const functions: readonly Suggestion[] = [
  ...grammar.map(([form, info]) => ofFunction(form.replace(/\(.*/, ''), form, info)),
  ...functionList.map(({ name, forms, sentence, example }) =>
    ofFunction(name, forms.join(', '), `${sentence} ${example}`),
  ),
];

function ofFunction(name: string, detail: string, info: string): Suggestion {
  return { label: name, text: `${name}(`, kind: 'function', detail, info };
}

const values: readonly Suggestion[] = [
  ...columnNames.map((name) => ({
    ...({ label: name, text: name, kind: 'column', detail: columnWords[name] } as const),
  })),
  { label: 'tag.', text: 'tag.', kind: 'column', detail: 'a label of its series' },
  ...functions,
  ...words('distinct ', 'case when ', 'null', 'true', 'false', 'not ', 'from '),
];

const units = ['s', 'm', 'h', 'd', 'w', 'mo', 'y', 'ms', 'us', 'ns'];
const kAliasesMax = 20;

function wordsFor(
  place: Extract<CursorPlace, { readonly kind: 'word' }>,
  before: string,
): readonly Suggestion[] {
  const { part, begins } = place;
  if (/^\d/.test(part)) {
    // A number is a duration after an operator, a parenthesis or a comma.
    if (!/[-+(,]\s*$/.test(before)) return [];
    const [digits = ''] = /^\d+/.exec(part) ?? [];
    return units.map((unit) => word(digits + unit));
  }
  if (begins === 'statement') return statements;
  return begins === 'value' ? values : clauses;
}

/** The names that the statement defines with AS. */
function aliasesIn(text: string): readonly Suggestion[] {
  const found = [...text.matchAll(/\bas\s+([A-Za-z_]\w*)/gi)].map(([, name = '']) => name);
  const names = [...new Set(found)].filter((name) => !/^(?:integer|float|string)$/.test(name));
  return names.slice(0, kAliasesMax).map((name) => ({
    ...({ label: name, text: name, kind: 'column', detail: 'of this statement' } as const),
  }));
}
