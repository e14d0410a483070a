/** Random data and random queries over it, for tests that compare query engines. */

import { boolean, float, integer, number } from './expression-maker.js';

import type { Random } from '../../support/random.js';

/** Labels of the series of each metric; `none` is a key that no series has. */
const seriesOf: Readonly<Record<string, readonly (readonly [string, string][])[]>> = {
  'cpu.usage_user': ['a', 'b', 'c'].map((host) => [['host', host]]),
  'cpu.usage_system': [
    [
      ['dc', 'east'],
      ['host', 'a'],
    ],
    [['host', 'b']],
  ],
  requests_total: [
    [['host', 'a']],
    [
      ['host', 'b'],
      ['path', '/"x"'],
    ],
    [],
  ],
  odd: [[['host', 'é€😀']]],
};

/** The ends of all times, and months and years away. */
const farTimes = [
  ...['-9223372036854775808', '9223372036854775807', '-1', '-40000000000'],
  ...['5097600000', '2678399999', '40000000000'],
];
const extremes = ['0', '-0', '1e300', '-1e300', '5e-324', '9007199254740993', '-1.5'];

/** Lines of samples: regular, out of order, with gaps, sometimes far away in time. */
export function randomLines(random: Random): string {
  const lines: string[] = [];
  for (const [metric, all] of Object.entries(seriesOf)) {
    for (const labels of all) {
      if (random.chance(0.3)) continue;
      lines.push(...seriesLines(random, metric, labels));
    }
  }
  if (random.chance(0.5)) lines.sort(() => random.unit() - 0.5);
  return lines.join('');
}

function seriesLines(
  random: Random,
  metric: string,
  labels: readonly (readonly [string, string])[],
): string[] {
  const isCounter = metric === 'requests_total';
  const pairs = labels.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const head = `{"metric":"${metric}","labels":{${pairs.join(',')}}`;
  const tail = isCounter ? ',"kind":"counter"}\n' : '}\n';
  const start = random.below(3000) * 10;
  const step = random.pick([1, 10, 10, 60, 1000]);
  let value = random.below(100);
  return Array.from({ length: random.below(250) }, (_, at) => {
    const jitter = random.chance(0.2) ? random.below(step * 20) - step * 10 : 0;
    const isFar = random.chance(metric === 'odd' ? 0.05 : 0.004);
    const ts = isFar ? random.pick(farTimes) : start + at * step + jitter;
    if (isCounter) value = random.chance(0.05) ? random.below(5) : value + random.below(10);
    else value = Math.round((value + random.unit() * 10 - 5) * 100) / 100;
    const isExtreme = metric === 'odd' && random.chance(0.05);
    return `${head},"ts":${ts},"value":${isExtreme ? random.pick(extremes) : value}${tail}`;
  });
}

const sources = [
  'cpu.usage_user',
  'cpu.usage_system',
  'cpu.*',
  'requests_total',
  'odd',
  "cpu.usage_user{host='a'}",
  "cpu.usage_user{host!='a'}",
  "cpu.*{host=~'[ab]'}",
  "cpu.*{dc='east'}",
  "requests_total{path!~'y'}",
  'by_id(?)',
];
const filters = [
  'value > 50',
  'value <= 20 or value > 90',
  'not (value between 10 and 60)',
  'value != 7 and value >= -3.5',
  '-5 < value',
  'value = 0',
  "tag.host in ('a', 'c')",
  "metric != 'cpu.usage_system'",
  'value > 50 and tag.host is not null',
  'value % 2 = 0',
  'value > 9007199254740993',
];
/** Conditions that choose series. */
const choices = [
  "metric in ('cpu.usage_user', 'odd')",
  "metric not in ('cpu.usage_user', 'x')",
  "metric = 'cpu.usage_system' and metric != 'odd'",
  "metric =~ 'user$'",
  "metric !~ '^cpu'",
  "metric like '%\\_user'",
  "tag.host in ('a', 'b', 'none')",
  "tag.host != 'a'",
  "tag.host =~ '^[ab]$'",
  "tag.host =~ 'b|é'",
  "tag.host !~ 'a'",
  "tag.none !~ 'a'",
  "tag.host like 'a%'",
  "tag.host not like '__'",
  'tag.dc is null',
  'tag.host is not null',
  "(tag.host = 'a' or tag.host > 'b')",
  "(tag.host = 'a' or tag.dc is null)",
  "coalesce(tag.dc, 'west') != 'east'",
  "upper(tag.host) = 'A'",
  'length(tag.host) = 3',
  'tag.host < tag.dc',
  'series_id % 2 = 0',
  'series_id > 4611686018427387904',
];
const aggregates = [
  ...['count(*)', 'count(value)', 'count(distinct value)', 'sum(value)', 'avg(value)'],
  ...['min(value)', 'max(value)', 'stddev(value)', 'variance(value)', 'median(value)'],
  ...['percentile(value, 0.9)', 'first(value)', 'last(value)', 'min_time(value)'],
  ...['max_time(value)', 'delta(value)', 'increase(value)', 'rate(value)', 'integral(value)'],
  ...['irate(value)', 'sum(value) / count(*)', 'max(value) - min(value)', 'sum(value * 2)'],
  ...['max(time)', 'avg(abs(value))', 'sum(cast(value as integer))', 'count(nullif(value, 7))'],
  ...['min(tag.host)', 'last(metric)', 'count(distinct tag.host)', 'first(upper(tag.dc))'],
  ...['max(value > 50)', 'last(value > 50)', 'min_time(tag.host)', 'count(tag.none)'],
  ...['sum(case when value > 50 then 1 else 0 end)', 'first(time % 1000)', 'irate(value * 2)'],
];
const keys = [
  ...['time_bucket(100ms, time)', 'time_bucket(7, time)', 'time_bucket(1m, time)'],
  ...['time_bucket(1s, time, 13)', 'time_bucket(1mo, time)', 'time_bucket(1y, time)'],
  ...['tag.host', 'tag.dc', 'tag.none', 'metric', 'series_id', 'value > 50'],
  ...['floor(value / 10)', 'cast(value as integer) % 7', "tag.host = 'a'", 'value', 'time % 5'],
  ...[
    'case when value > 90 then 2 when value > 50 then 1 end',
    'upper(tag.host)',
    'cast(value as string)',
  ],
  "case when value > 50 then tag.host else 'low' end",
  "time_bucket(1d, time, 'Asia/Tokyo')",
  ...[
    "case when value > 50 then 'a\"b,' else '' end",
    "coalesce(tag.dc, 'x,\"')",
    'tag.host is null',
  ],
];

/**
 * The parts of a query that may leave it to the interpreter, with the reason: exactly those that
 * the language's document excludes.
 */
const leftOut: readonly (readonly [RegExp, string])[] = [
  [/\blag\(/, 'unsupported_function'],
  [/\birate\(/, 'unsupported_aggregate'],
  [/ group by .*cast\(value as string\)/, 'unsupported_grouping'],
  [/ group by .*'Asia\/Tokyo'/, 'unsupported_grouping'],
];

/** The reasons for which this query may fall back; empty: it must not. */
export function fallbackReasons(text: string): readonly string[] {
  // Such a query reads nothing.
  if (/ limit 0\b/.test(text)) return [];
  return leftOut.flatMap(([part, reason]) => (part.test(text) ? [reason] : []));
}

export function randomTimes(random: Random): string {
  const [a = 0, b = 0] = [random.below(40_000), random.below(40_000)].sort((x, y) => x - y);
  return random.pick([
    `time >= ${a} and time < ${b}`,
    `time between ${a} and ${b}`,
    `time <= ${b}`,
    `time > ${a}`,
    'time >= -9223372036854775808',
    `(time < ${a} or time between ${b} and ${b + 500})`,
  ]);
}

/** Aggregates with identical digits in any order, over any expression. */
function exactAggregate(random: Random): string {
  const depth = 1 + random.below(2);
  const any = (): string => random.pick([number, boolean])(random, depth);
  return random.pick<() => string>([
    () => `count(${any()})`,
    () => `count(distinct ${any()})`,
    () => `sum(${integer(random, depth)})`,
    () => `${random.pick(['min', 'max', 'first', 'last'])}(${number(random, depth)})`,
    () => `${random.pick(['min_time', 'max_time'])}(${any()})`,
    () => `percentile(${float(random, depth)}, ${random.pick(['0', '0.25', '0.5', '1'])})`,
    () => `min(${number(random, depth)}) + count(*)`,
  ])();
}

/** An expression that a GROUP BY may have. */
function anyKey(random: Random): string {
  const depth = random.below(3);
  return random.pick<() => string>([
    () => integer(random, depth),
    () => float(random, depth),
    () => boolean(random, depth),
    () => `time_bucket(${1 + random.below(3000)}, time, ${random.below(2000) - 1000})`,
    () => `time_bucket(${random.pick(['2w', '3mo', '1d', '9223372036854775807'])}, time)`,
  ])();
}

function where(random: Random): string {
  const condition = random.chance(0.3) ? boolean(random, 2) : random.pick(filters);
  const filter = random.chance(0.5) ? ` and (${condition})` : '';
  const choice = random.chance(0.3) ? ` and ${random.pick(choices)}` : '';
  return `from ${random.pick(sources)} where ${randomTimes(random)}${filter}${choice}`;
}

function some(random: Random, from: readonly string[], most: number): readonly string[] {
  const count = 1 + random.below(most);
  return [...new Set(Array.from({ length: count }, () => random.pick(from)))];
}

function tail(random: Random, orders: readonly string[]): string {
  const keys = random.chance(0.4)
    ? some(random, orders, 3).map((key) => key + random.pick(['', ' asc', ' desc']))
    : [];
  const order = keys.length === 0 ? '' : ` order by ${keys.join(', ')}`;
  const limit = random.chance(0.3) ? ` limit ${random.below(random.pick([20, 2, 400]))}` : '';
  const skipped = random.below(random.pick([5, 300]));
  const offset = limit !== '' && random.chance(0.5) ? ` offset ${skipped}` : '';
  return order + limit + offset;
}

/**
 * Items that rounding in another order does not change, so that nearly equal rows stay in place.
 */
function exact(items: readonly string[]): readonly string[] {
  const isRounded = /stddev|variance|avg|sum|rate|integral|delta|increase|percentile|median/;
  return [...items.filter((item) => !isRounded.test(item)), 'count(*)'];
}

function groupedQuery(random: Random): string {
  const plain = some(random, aggregates, 4);
  const chosen = random.chance(0.3) ? [...plain, exactAggregate(random)] : plain;
  const by = random.chance(0.75) ? [...some(random, keys, 3)] : [];
  if (by.length > 0 && random.chance(0.2)) by.push(anyKey(random));
  const items = [...by.filter(() => random.chance(0.8)), ...chosen];
  const group = by.length === 0 ? '' : ` group by ${by.join(', ')}`;
  const hasBucket = by.some((key) => key.startsWith('time_bucket(1'));
  const fill =
    hasBucket && random.chance(0.3)
      ? ` fill(${random.pick(['null', 'previous', 'linear', '0', 'none', '-1.5', '2 * 3'])})`
      : '';
  const having = by.length > 0 && random.chance(0.2) ? ' having count(*) > 3' : '';
  const end = tail(
    random,
    exact(items).filter((item) => item.length < 60),
  );
  return `select ${items.join(', ')} ${where(random)}${group}${fill}${having}${end}`;
}

function rawQuery(random: Random): string {
  const columns = ['time', 'value', 'series_id', 'metric', 'tag.host', 'value * 2 + 1', '*'];
  const items = random.chance(0.2) ? ['time', 'lag(value)', 'series_id'] : some(random, columns, 4);
  const orders = [
    ...['time', 'value', 'tag.host', 'abs(value - 50)', 'metric', 'value % 7', 'series_id', '1'],
    ...[number(random, 2), boolean(random, 1), 'tag.dc', 'null', 'length(tag.host)'],
  ];
  return `select ${items.join(', ')} ${where(random)}${tail(random, orders)}`;
}

/** A query that the index alone answers. */
function listQuery(random: Random): string {
  const source = random.pick(sources);
  const choice = random.chance(0.4) ? ` where ${random.pick(choices)}` : '';
  const limit = random.chance(0.4) ? ` limit ${random.below(4)}` : '';
  const offset = limit !== '' && random.chance(0.5) ? ` offset ${random.below(4)}` : '';
  const labels = ['series_id', 'metric', 'tag.host', 'tag.dc', 'tag.host as h', 'tag.path'];
  const key = random.pick(['host', 'dc', 'none', 'path']);
  const order = random.chance(0.3) ? ` order by ${random.pick(labels.slice(0, 4))} desc` : '';
  return random.pick([
    `select ${some(random, labels, 3).join(', ')} from ${source}${choice}${order}${limit}${offset}`,
    `show series from ${source}${choice}${limit}`,
    `show labels from ${source}${choice}${limit}`,
    `show label values for ${key} from ${source}${choice}${limit}`,
    `show label values for ${key}${choice}${limit}`,
    `show metrics${choice}${limit}`,
    `show labels${choice}${limit}`,
    `show series from ${source} where ${randomTimes(random)}${limit}`,
  ]);
}

/** A DELETE of a time range, of some series. */
export function randomDelete(random: Random): string {
  const a = random.below(40_000);
  const b = a + random.below(random.pick([10, 1000, 40_000]));
  const choice = random.chance(0.3) ? ` and ${random.pick(choices)}` : '';
  const times = random.chance(0.03)
    ? '-9223372036854775808 and 9223372036854775807'
    : `${a} and ${b}`;
  return `delete from ${random.pick(sources)} where time between ${times}${choice}`;
}

export function randomQuery(random: Random): string {
  const dice = random.unit();
  if (dice < 0.08) return listQuery(random);
  if (dice < 0.6) return groupedQuery(random);
  if (dice < 0.95) return rawQuery(random);
  return random.pick([
    'select 1 + 2',
    'select tag.host, metric from cpu.*',
    `select metric, upper(tag.host) from ${random.pick(sources)} where ${randomTimes(random)}`,
    `show series from ${random.pick(sources)} where ${randomTimes(random)}`,
    `show label values for host where ${randomTimes(random)} limit 2`,
    'select tag.host, last(value), first(value) from cpu.usage_user group by tag.host',
    'select last(value) from requests_total',
    'select metric, count(*) from cpu.* where time > 5 group by metric',
  ]);
}
