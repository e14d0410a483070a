/**
 * Random queries that SeriesQL and SQL can both say, each written in both languages. The SQL side
 * reads a table `samples (time, value, metric, series_id, host, dc)` without duplicates, spells
 * out SeriesQL's default order, and keeps to DuckDB's functions.
 *
 * Where the languages differ on purpose, the SQL says what SeriesQL means: division by zero is
 * null, a cast to integer truncates, `concat` with a null is null, a pattern that is not found
 * extracts null, and nulls come last in either direction.
 */

import type { Random } from '../../support/random.js';

/** The same thing in SeriesQL and in SQL. */
export interface Pair {
  readonly ql: string;
  readonly sql: string;
}

export interface PairedQuery extends Pair {
  /** Whether its one row comes even when the selection holds no series. */
  readonly isTotal: boolean;
}

/** Samples lie around it: the unit is the millisecond. */
export interface World {
  readonly middle: number;
  readonly spread: number;
}

function both(texts: TemplateStringsArray, ...parts: readonly Pair[]): Pair {
  const join = (pick: (part: Pair) => string): string =>
    texts.reduce((all, text, at) => {
      const part = parts[at - 1];
      return all + (part === undefined ? '' : pick(part)) + text;
    });
  return { ql: join(({ ql }) => ql), sql: join(({ sql }) => sql) };
}

const same = (text: string): Pair => ({ ql: text, sql: text });
const pair = (ql: string, sql: string): Pair => ({ ql, sql });
const list = (pairs: readonly Pair[]): Pair =>
  pair(pairs.map(({ ql }) => ql).join(', '), pairs.map(({ sql }) => sql).join(', '));

const time = same('time');
const value = same('value');
const host = pair('tag.host', 'host');
const dc = pair('tag.dc', 'dc');
const metric = same('metric');
const seriesId = same('series_id');

/** A float in SQL too, where `1.5` alone is a decimal. */
const float = (number: number): Pair => pair(number.toFixed(2), `${number.toFixed(2)}e0`);

export class SqlMaker {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  query(): PairedQuery {
    const dice = this.#random.unit();
    if (dice < 0.55) return this.#grouped();
    if (dice < 0.85) return this.#raw();
    if (dice < 0.95) return this.#windows();
    return this.#labels();
  }

  #some(from: readonly (() => Pair)[], most: number): readonly Pair[] {
    const count = 1 + this.#random.below(most);
    const made = Array.from({ length: count }, () => this.#random.pick(from)());
    return [...new Map(made.map((each) => [each.ql, each])).values()];
  }

  #constant(): Pair {
    const { pick, below } = bound(this.#random);
    return pick([
      () => float(below(10_000) / 100 - 20),
      () => float(below(100)),
      () => float(below(5) / 4),
    ])();
  }

  /** A float, now and then null. */
  #number(depth = 2): Pair {
    const random = this.#random;
    if (depth === 0 || random.chance(0.3)) return random.chance(0.8) ? value : this.#constant();
    const a = () => this.#number(depth - 1);
    return random.pick([
      () => both`(${a()} + ${a()})`,
      () => both`(${a()} - ${a()})`,
      () => both`(${a()} * ${this.#constant()})`,
      () => ratio('/', a(), a()),
      () => ratio('%', a(), this.#constant()),
      () => both`-(${a()})`,
      () => both`abs(${a()})`,
      () => both`floor(${value})`,
      () => both`ceil(${value})`,
      () => both`trunc(${value})`,
      () => both`round(${value})`,
      () => both`sign(${value})`,
      () => both`sqrt(abs(${a()}))`,
      () => both`ln(abs(${a()}) + 1)`,
      () => both`log2(abs(${value}) + 1)`,
      () => both`log10(abs(${value}) + 1)`,
      () => both`exp(${value} / 100)`,
      () => both`pow(${value}, 2)`,
      () => both`greatest(${a()}, ${a()})`,
      () => both`least(${a()}, ${this.#constant()})`,
      () => both`coalesce(${a()}, ${a()})`,
      () => both`nullif(${value}, ${this.#constant()})`,
      () => both`case when ${this.#condition(1)} then ${a()} else ${a()} end`,
      () => both`case when ${this.#condition(1)} then ${a()} end`,
      () => both`cast(${this.#integer()} as ${pair('float', 'double')})`,
    ])();
  }

  #integer(): Pair {
    const n = same(String(1 + this.#random.below(50)));
    return this.#random.pick([
      () => time,
      () => both`(${time} % ${n})`,
      () => both`(${time} * 3 - ${n})`,
      () => both`abs(${time})`,
      () => both`length(${host})`,
      () => pair('cast(value as integer)', 'cast(trunc(value) as bigint)'),
      () => both`coalesce(length(${dc}), ${n})`,
      () => both`case when ${value} > 50 then ${n} else 0 end`,
      () => both`nullif(${time} % 3, 1)`,
    ])();
  }

  #text(): Pair {
    return this.#random.pick([
      () => host,
      () => dc,
      () => metric,
      () => both`coalesce(${dc}, ${host}, 'none')`,
      () => both`upper(${dc})`,
      () => pair("concat(tag.dc, '/', tag.host)", "(dc || '/' || host)"),
      () => both`substr(${metric}, 5)`,
      () => both`substr(${host}, 1, 2)`,
      () => both`replace(${dc}, 's', 'ß')`,
      () => pair("regexp_extract(tag.host, '([a-z]+)-([0-9]+)', 2)", extracted),
      () => both`nullif(${dc}, 'east')`,
      () => pair('cast(time as string)', 'cast(time as varchar)'),
      () => both`case when ${value} < 30 then 'low' when ${value} < 60 then 'mid' end`,
    ])();
  }

  /** A condition in three-valued logic. */
  #condition(depth = 2): Pair {
    const random = this.#random;
    const inner = () => this.#condition(depth - 1);
    if (depth > 0 && random.chance(0.4)) {
      return random.pick([
        () => both`(${inner()} and ${inner()})`,
        () => both`(${inner()} or ${inner()})`,
        () => both`not (${inner()})`,
        () => both`(${inner()}) is null`,
      ])();
    }
    return random.chance(0.4) ? this.#labelCondition() : this.#valueCondition();
  }

  #valueCondition(): Pair {
    const c = () => this.#constant();
    const op = same(this.#random.pick(['<', '<=', '>', '>=', '=', '!=']));
    return this.#random.pick([
      () => both`${value} ${op} ${c()}`,
      () => both`${value} * 2 ${op} ${c()} + 1`,
      () => both`${value} between ${c()} and ${c()}`,
      () => both`${value} not between ${c()} and ${c()}`,
      () => both`${value} in (${c()}, ${c()}, ${c()})`,
      () => both`${value} not in (${c()}, null)`,
      () => both`nullif(${value}, ${c()}) is not null`,
      () => both`${time} % 7 ${op} 3`,
      () => both`${time} ${op} ${this.#instant()}`,
      () => both`${c()} ${op} ${value}`,
    ])();
  }

  #labelCondition(): Pair {
    const label = this.#random.pick([host, host, dc, metric]);
    const text = same(
      this.#random.pick(["'web-1'", "'web-2'", "'east'", "'cpu.user'", "'é'", "''"]),
    );
    const op = same(this.#random.pick(['=', '!=', '<', '>=']));
    const [like, pattern] = [this.#random.pick(likes), this.#random.pick(patterns)];
    return this.#random.pick([
      () => both`${label} ${op} ${text}`,
      () => both`${label} in (${text}, 'web-3')`,
      () => both`${label} not in (${text}, 'west')`,
      () => both`${label} is null`,
      () => both`${label} is not null`,
      () => both`${label} between 'a' and ${text}`,
      () => pair(`${label.ql} like ${like}`, `${label.sql} like ${like} escape '\\'`),
      () => pair(`${label.ql} not like ${like}`, `${label.sql} not like ${like} escape '\\'`),
      () => pair(`${label.ql} =~ ${pattern}`, `regexp_matches(${label.sql}, ${pattern})`),
      () => pair(`${label.ql} !~ ${pattern}`, `not regexp_matches(${label.sql}, ${pattern})`),
      () => both`${host} ${op} ${dc}`,
    ])();
  }

  /** A moment as an integer, as a timestamp or as a string. */
  #instant(): Pair {
    const { middle, spread } = this.#world;
    const at = middle + this.#random.below(2 * spread) - spread;
    const text = new Date(at).toISOString();
    return pair(this.#random.pick([String(at), text, `'${text}'`]), String(at));
  }

  /** A bound on time, which every read needs. */
  #times(): Pair {
    const [a, b] = [this.#instant(), this.#instant()].sort((x, y) => Number(x.sql) - Number(y.sql));
    if (a === undefined || b === undefined) return time;
    return this.#random.pick([
      both`${time} >= ${a} and ${time} < ${b}`,
      both`${time} between ${a} and ${b}`,
      both`${time} <= ${b}`,
      both`${a} < ${time}`,
      both`(${time} < ${a} or ${time} between ${b} and ${this.#instant()})`,
      pair('time >= -9223372036854775808', 'true'),
    ]);
  }

  #from(): Pair {
    const source = this.#random.pick(sources);
    const times = this.#times();
    const where = this.#random.chance(0.6) ? both`${times} and ${this.#condition()}` : times;
    return pair(
      `from ${source.ql} where ${where.ql}`,
      `from samples where ${source.sql} and ${where.sql}`,
    );
  }

  #limit(): Pair {
    if (this.#random.chance(0.7)) return same('');
    const offset = this.#random.chance(0.5) ? ` offset ${this.#random.below(8)}` : '';
    return same(` limit ${this.#random.below(30)}${offset}`);
  }

  /** The requested order; in SQL it is extended by SeriesQL's default order. */
  #order(orders: readonly Pair[], otherwise: readonly string[]): Pair {
    const plain = otherwise.map((key) => `${key} nulls last`);
    if (this.#random.chance(0.5)) {
      return pair('', plain.length === 0 ? '' : ` order by ${plain.join(', ')}`);
    }
    const by = this.#random.pick(orders);
    const direction = this.#random.pick(['', ' asc', ' desc']);
    const all = [`${by.sql}${direction} nulls last`, ...plain].join(', ');
    return pair(` order by ${by.ql}${direction}`, ` order by ${all}`);
  }

  #raw(): PairedQuery {
    const makers = [
      ...[() => time, () => value, () => this.#number(), () => this.#number()],
      ...[() => this.#integer(), () => this.#text(), () => this.#condition(1)],
    ];
    const whose = this.#random.pick([
      both`${seriesId}, ${value}`,
      both`${host}, ${seriesId}, ${time}`,
    ]);
    const items = list([...this.#some(makers, 4), whose]);
    const order = this.#order([time, value, host, dc, both`abs(${value})`], ['time', 'series_id']);
    return { ...both`select ${items} ${this.#from()}${order}${this.#limit()}`, isTotal: false };
  }

  #windows(): PairedQuery {
    const items = list([
      time,
      seriesId,
      ...this.#some(
        windows.map((one) => () => one),
        3,
      ),
    ]);
    const order = this.#order([time, value], ['time', 'series_id']);
    return { ...both`select ${items} ${this.#from()}${order}${this.#limit()}`, isTotal: false };
  }

  /**
   * Labels alone: one row a series; with a time condition, only series with a sample in the range.
   */
  #labels(): PairedQuery {
    const source = this.#random.pick(sources);
    const condition = this.#labelCondition();
    const where = this.#random.chance(0.5) ? both`${condition} and ${this.#times()}` : condition;
    const items = list([...this.#some([() => host, () => dc, () => metric], 3), seriesId]);
    const ql = `select ${items.ql} from ${source.ql} where ${where.ql}`;
    const from = `from samples where ${source.sql} and ${where.sql}`;
    const sql = `select distinct ${items.sql} ${from} order by series_id`;
    const limit = this.#limit();
    return { ql: ql + limit.ql, sql: sql + limit.sql, isTotal: false };
  }

  #key(): Pair {
    return this.#random.pick([
      () => bucket(this.#random.pick(widths), 0),
      () => bucket(this.#random.pick(widths), 0),
      () => bucket(this.#random.pick(widths), this.#random.below(5000)),
      () => this.#random.pick(calendar),
      () => host,
      () => dc,
      () => metric,
      () => seriesId,
      () => both`${value} > 50`,
      () => both`floor(${value} / 10)`,
      () => both`${time} % 3`,
      () => this.#text(),
    ])();
  }

  #aggregate(): Pair {
    const x = () => this.#number(1);
    const q = float(this.#random.below(5) / 4);
    return this.#random.pick([
      () => same('count(*)'),
      () => both`count(${x()})`,
      () => both`count(${dc})`,
      () => both`count(distinct ${value})`,
      () => both`count(distinct ${host})`,
      () => both`sum(${x()})`,
      () => both`sum(${time} % 100)`,
      () => both`avg(${x()})`,
      () => both`min(${x()})`,
      () => both`max(${x()})`,
      () => both`min(${host})`,
      () => both`max(${time})`,
      () => pair('stddev(value)', 'stddev_samp(value)'),
      () => pair('variance(value)', 'var_samp(value)'),
      () => both`median(${x()})`,
      () => pair(`percentile(value, ${q.ql})`, `quantile_cont(value, ${q.sql})`),
      () => pair('first(value)', 'first(value order by time, series_id)'),
      () => pair('last(value)', 'last(value order by time, series_id)'),
      () => pair('min_time(value)', 'first(time order by value, time)'),
      () => pair('max_time(value)', 'first(time order by value desc, time)'),
      () => pair('sum(value) / count(*)', 'sum(value) / nullif(count(*), 0)'),
      () => both`max(${value}) - min(${value})`,
      () => both`coalesce(sum(${x()}), -1.0)`,
      () => both`case when count(*) > 3 then avg(${value}) end`,
      () => both`count(*) * 2 + 1`,
    ])();
  }

  #having(): Pair {
    if (this.#random.chance(0.7)) return same('');
    const n = same(String(this.#random.below(20)));
    return this.#random.pick([
      () => both` having count(*) > ${n}`,
      () => both` having max(${value}) >= ${this.#constant()} and count(*) != ${n}`,
      () => both` having not (min(${value}) between 0 and ${n})`,
      () => both` having max(nullif(${value}, 5)) is not null or count(*) < ${n}`,
    ])();
  }

  #grouped(): PairedQuery {
    const keys = this.#random.chance(0.75) ? this.#some([() => this.#key()], 3) : [];
    const shown = keys.filter(() => this.#random.chance(0.8));
    const items = list([...shown, ...this.#some([() => this.#aggregate()], 4)]);
    const by = keys.length === 0 ? same('') : both` group by ${list(keys)}`;
    const sorted = [...shown, ...keys.filter((key) => !shown.includes(key))];
    const exact = [same('count(*)'), same('max(value)'), same('min(value)'), ...shown];
    const order = this.#order(
      exact,
      sorted.map(({ sql }) => sql),
    );
    const having = this.#having();
    const text = both`select ${items} ${this.#from()}${by}${having}${order}${this.#limit()}`;
    return { ...text, isTotal: keys.length === 0 };
  }
}

function bound(random: Random) {
  return {
    pick: <T>(choices: readonly T[]): T => random.pick(choices),
    below: (limit: number): number => random.below(limit),
  };
}

function ratio(op: '/' | '%', a: Pair, b: Pair): Pair {
  return pair(`(${a.ql} ${op} ${b.ql})`, `(${a.sql} ${op} nullif(${b.sql}, 0))`);
}

const kDay = 86_400_000;
/** The Monday that weeks count from. */
const kMonday = 4 * kDay;

const widths: readonly (readonly [string, number, number])[] = [
  ['7', 7, 0],
  ['100ms', 100, 0],
  ['1s', 1000, 0],
  ['1m30s', 90_000, 0],
  ['1h', 3_600_000, 0],
  ['1d', kDay, 0],
  ['7d', 7 * kDay, 0],
  ['1w', 7 * kDay, kMonday],
];

/** A time without an origin other than 0 takes the origin of its width. */
function bucket([text, width, start]: readonly [string, number, number], origin: number): Pair {
  const from = origin === 0 ? start : origin;
  const rest = `((time - ${from}) % ${width} + ${width}) % ${width}`;
  const last = origin === 0 ? '' : `, ${origin}`;
  return pair(`time_bucket(${text}, time${last})`, `(time - ${rest})`);
}

const calendar: readonly Pair[] = [
  ['1mo', 'month'],
  ['3mo', 'quarter'],
  ['1y', 'year'],
].map(([width, part]) =>
  pair(
    `time_bucket(${width}, time)`,
    `epoch_ms(date_trunc('${part}', make_timestamp(time * 1000)))`,
  ),
);

const extracted =
  "case when regexp_matches(host, '[a-z]+-[0-9]+') " +
  "then regexp_extract(host, '([a-z]+)-([0-9]+)', 2) end";

const likes = ["'web-%'", "'%1'", "'w_b-2'", "'WEB%'", "'_'", "'50\\%'", "'%e%s%'", "''"];
const patterns = ["'web-[12]$'", "'^e'", "'s'", "'(a|é)+'", "'.'", "'u.er$'"];

const sources: readonly Pair[] = [
  pair('cpu.user', "metric = 'cpu.user'"),
  pair('cpu.system', "metric = 'cpu.system'"),
  pair('cpu.*', "metric like 'cpu.%'"),
  pair('cpu.*', "metric like 'cpu.%'"),
  pair("cpu.user{host='web-1'}", "metric = 'cpu.user' and host = 'web-1'"),
  pair("cpu.*{host!='web-1'}", "metric like 'cpu.%' and host != 'web-1'"),
  pair("cpu.*{dc=~'^e'}", "metric like 'cpu.%' and regexp_matches(dc, '^e')"),
  pair("cpu.user{dc!~'e'}", "metric = 'cpu.user' and not regexp_matches(dc, 'e')"),
];

const over = 'over (partition by series_id order by time';
const windows: readonly Pair[] = [
  pair('lag(value)', `lag(value) ${over})`),
  pair('lag(value, 3)', `lag(value, 3) ${over})`),
  pair('lead(time)', `lead(time) ${over})`),
  pair('diff(value)', `value - lag(value) ${over})`),
  pair('derivative(value)', `(value - lag(value) ${over})) / ((time - lag(time) ${over})) / 1000)`),
  pair('cumulative_sum(value)', `sum(value) ${over})`),
  pair('moving_avg(value, 4)', `avg(value) ${over} rows between 3 preceding and current row)`),
  pair(
    'moving_avg(value, 5m)',
    `avg(value) ${over} range between 299999 preceding and current row)`,
  ),
  pair(
    'fill_forward(nullif(value, 0.0))',
    `last_value(nullif(value, 0) ignore nulls) ${over} rows unbounded preceding)`,
  ),
  pair('value + lag(value) * 2', `value + lag(value) ${over}) * 2`),
];
