/**
 * Forms of SQL, InfluxQL and PromQL that this language writes differently. Hints use them for
 * people with habits from those languages.
 */

import { durationForm } from './time-literal.js';

interface ForeignComplaint {
  readonly message: string;
  readonly hint: string;
}

/** Makes a map from rows of space-separated words and the meaning that they share. */
function table<Meaning>(
  ...rows: (readonly [words: string, meaning: Meaning])[]
): ForeignWords<Meaning> {
  return new Map(
    rows.flatMap(([words, meaning]) => words.split(' ').map((word) => [word, meaning] as const)),
  );
}
type ForeignWords<Meaning> = ReadonlyMap<string, Meaning>;

const oneSource = 'select from a family of metrics, or send several queries';
/** A metric in hints, for one that the statement does not name. */
export const kSomeMetric = 'cpu.load';
const labelsOf = `write show labels from ${kSomeMetric}, or show series from ${kSomeMetric}`;
const buckets = 'time buckets are written time_bucket(1h, time)';

/** The first words of statements that this language lacks, and the replacement. */
const statements = table(
  ['describe desc', labelsOf],
  ['create alter', 'a metric is created by its first sample'],
  ['drop truncate', 'delete a metric with drop metric cpu.load, a time range with delete from'],
  ['update upsert merge replace', 'insert a sample with the same time: the last one wins'],
  ['with', `there are no named subqueries: ${oneSource}`],
  ['begin commit rollback set use', 'each statement is independent'],
  ['grant revoke values table call', 'a query is a select, insert, delete, show or explain'],
);

/** Clauses that this language lacks. */
const clauses = table<ForeignComplaint>(
  ['join inner left right full cross asof', { message: 'there are no joins', hint: oneSource }],
  ['union', { message: 'there is no union', hint: oneSource }],
  ['intersect', { message: 'there is no intersect', hint: oneSource }],
  ['except', { message: 'there is no except', hint: oneSource }],
  [
    'window',
    {
      message: 'there is no window clause',
      hint: 'window functions such as lag(value) run along each series by time',
    },
  ],
  ['sample', { message: 'there is no SAMPLE BY', hint: 'write group by time_bucket(1h, time)' }],
  [
    'latest',
    { message: 'there is no LATEST ON', hint: 'write select last(value) with any GROUP BY' },
  ],
  ['fetch', { message: 'there is no FETCH', hint: 'write limit 10' }],
);

/** Words that other languages write after a call, if `next` follows. */
const afterCalls = table<ForeignComplaint & { readonly next: string }>(
  [
    'over',
    {
      ...{ next: '(', message: 'there is no OVER' },
      hint: 'window functions such as lag(value) run along each series by time',
    },
  ],
  [
    'filter',
    {
      ...{ next: '(', message: 'there is no FILTER' },
      hint: 'write count(case when value > 1 then 1 end)',
    },
  ],
  [
    'within',
    { next: 'group', message: 'there is no WITHIN GROUP', hint: 'write quantile(value, 0.95)' },
  ],
);

/** Words after SHOW in other languages. */
const shown = table(
  ['tables measurements databases schemas', 'write show metrics'],
  ['columns fields field create index indexes keys', labelsOf],
  ['tag', 'write show labels from cpu.load, or show label values for host'],
);

/** Functions with another name or another form here. */
const functions = table(
  ['date_trunc date_bin datetrunc time timeslice bucket histogram', buckets],
  ['tostartofminute tostartofhour tostartofday tostartofinterval', buckets],
  ['mean average', 'write avg(value)'],
  ['percentile_cont percentile_disc approx_percentile', 'write quantile(value, 0.95)'],
  ['stddev_pop stddev_samp stdev std', 'write stddev(value)'],
  ['var_pop var_samp var', 'write variance(value)'],
  ['if iif decode', 'write case when A then B else C end'],
  ['ifnull isnull nvl', 'write coalesce(a, b)'],
  ['top topk', 'write order by avg(value) desc limit 3 behind the groups'],
  ['bottom bottomk', 'write order by avg(value) limit 3 behind the groups'],
  ['row_number rank dense_rank ntile', 'write order by value desc limit 3'],
  ['first_value last_value', 'write first(value) or last(value)'],
  ['moving_average', 'write moving_avg(value, 5)'],
  ['difference idelta', 'write diff(value)'],
  ['non_negative_derivative non_negative_difference', 'for a counter write rate(value)'],
  ['extract date_part hour', 'the hour of the day in UTC is floor((time % 1d) / 1h)'],
  ['to_timestamp timestamp from_unixtime', "times are written '2022-03-27T10:00:00Z'"],
  ['log', 'write ln(x), log2(x) or log10(x)'],
  ['power', 'write pow(x, y)'],
  ['ceiling', 'write ceil(x)'],
  ['len', 'write length(x)'],
  ['substring', 'write substr(x, from, size)'],
  ['convert', 'write cast(x as integer)'],
  ['count_distinct uniq', 'write count(distinct x)'],
  ['arg_max', 'the time of the largest value is max_time(value)'],
  ['arg_min', 'the time of the smallest value is min_time(value)'],
);

/** Names that other languages use for a value. */
const names = table(
  ['now current_timestamp current_time localtime', 'the time of the query is now()'],
  ['current_date today', 'the beginning of today is today()'],
  ['yesterday', 'the beginning of yesterday is yesterday()'],
  ['this_week', 'the beginning of this week is this_week()'],
  ['_time timestamp ts', 'the time of a sample is time'],
  ['_value _field', 'the value of a sample is value'],
  ['_measurement', 'the name of a metric is metric'],
);

/** The keys are words in lower case. */
export const foreign = { statements, clauses, afterCalls, shown, functions, names };

const unitLetters = table(
  ...([
    ['ns nanosecond', 'ns'],
    ['us microsecond', 'us'],
    ['ms millisecond', 'ms'],
  ] as const),
  ...([
    ['s second sec', 's'],
    ['m minute min', 'm'],
    ['h hour hr', 'h'],
    ['d day', 'd'],
  ] as const),
  ...([
    ['w week', 'w'],
    ['mo month', 'mo'],
    ['y year', 'y'],
  ] as const),
);

/**
 * Converts PostgreSQL's `1 hour 30 minutes`, or `1h 30m`, to this language's form; null if it is
 * neither.
 */
export function durationOfInterval(text: string): string | null {
  if (durationForm.test(text)) return text;
  if (!/^ *[0-9]+ *[A-Za-z]+( +[0-9]+ *[A-Za-z]+)* *$/.test(text)) return null;
  let duration = '';
  for (const [, count = '', unit = ''] of text.matchAll(/([0-9]+) *([A-Za-z]+)/g)) {
    // A single M is a month elsewhere.
    const word = unit === 'M' ? unit : unit.toLowerCase();
    const letters = unitLetters.get(word) ?? unitLetters.get(word.replace(/s$/, ''));
    if (letters === undefined) return null;
    duration += `${count}${letters}`;
  }
  return duration;
}

/** Only the beginning of a text is searched for a span. */
const kSpanMax = 80;
const beforeSpan = '(?:in|over|for|during|within|range|since|the|last|past|previous)';
const spanForm = new RegExp(`^(?:${beforeSpan}\\s+)*'?((?:[0-9]+\\s*[a-z]+\\s*)+|[a-z]+)`, 'i');

/**
 * The hint for text that limits the time as other languages do: `last 1h`, `since 5 minutes`. Null
 * if the text is no such form. `deletion`: what a DELETE, which needs both bounds of time, has
 * before them.
 */
export function recentHint(text: string, deletion: string | null = null): string | null {
  if (/^ago\b/i.test(text)) return 'a time in the past is written now() - 1h';
  const [whole = '', span = ''] = spanForm.exec(text.slice(0, kSpanMax)) ?? [];
  const hasWord = /^[a-z]/i.test(whole) && whole.length > span.length;
  const counted = /^[a-z]/i.test(span) && hasWord ? `1 ${span}` : span;
  const duration = durationOfInterval(counted.trim());
  if (duration !== null) return rangeHint(duration, deletion);
  if (/^until\s/i.test(text)) {
    const bound = deletion === null ? 'time <' : "time between '2025-01-01' and";
    return `${deletion ?? kRangeHint} ${bound} '2026-01-01'`;
  }
  return /^since\s/i.test(text) ? rangeHint('1h', deletion) : null;
}

const kRangeHint = 'a time range is a condition of WHERE:';

function rangeHint(duration: string, deletion: string | null): string {
  if (deletion === null) return `${kRangeHint} time >= now() - ${duration}`;
  return `${deletion} time between now() - ${duration} and now()`;
}
