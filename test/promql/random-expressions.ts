/** Random typed PromQL expressions over the series of random-data.ts. */
import { promqlList } from '../../src/query/promql/functions/promql-list.js';
import { kDataEndMs, kDataStartMs } from './random-data.js';

import type { Random } from '../support/random.js';

const selectors = [
  ...['temperature', 'requests_total', 'limit', 'build_info', 'odd', 'latency_bucket'],
  ...['temperature{job="api"}', 'requests_total{code!="500"}', '{__name__=~"temp.*|limit"}'],
  ...['requests_total{instance=~"1.*",job!~"x|d."}', 'limit{job=""}', 'nothing'],
  ...['requests_total{job="db",instance="2",code="200"}', 'temperature{instance="10"}'],
];
const ranges = ['1m', '90s', '5m', '15s', '7m30s', '20m', '45s'];
const offsets = ['1m', '-30s', '5m', '10s', '-2m'];
const numbers = ['0', '1', '2', '0.5', '-1', '3.7', '1e3', 'NaN', 'Inf', '100', '0.1'];
const labels = ['job', 'instance', 'code', 'le', 'version', 'nothing'];

const isOf = (form: string): readonly string[] =>
  promqlList
    .filter(({ signature: { args, returns } }) => `${args.join()}:${returns}` === form)
    .map(({ name }) => name);

/** A function that Prometheus lacks. */
const kBorrowed = 'default_rollup';
const ofRange = isOf('matrix:vector').filter((name) => name !== kBorrowed);
/** Applied to times, because results differ for NaN. */
const ofTime = promqlList
  .filter(({ signature: { args, optional } }) => optional === 1 && args.join() === 'vector')
  .map(({ name }) => name);
/** Without functions that order rows, are refused, or grow beyond exact comparison. */
const ofValue = isOf('vector:vector').filter(
  (name) => !ofTime.includes(name) && !/^(?:sort|histogram_|exp$|sinh$|cosh$)/.test(name),
);
const simpleAggregations = ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar'];

/** Sorting and picking by rank depend on the order of series, which nothing promises. */
export class RandomExpressions {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  any(depth = 3): string {
    return this.#random.chance(0.08) ? this.scalar(depth) : this.vector(depth);
  }

  vector(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return this.#selector();
    switch (random.below(12)) {
      case 0:
      case 1:
        return this.#ofRange(depth - 1);
      case 2:
        return this.#rangeWithNumber(depth - 1);
      case 3:
        return this.#ofValue(depth - 1);
      case 4:
        return this.#ofValueWithNumbers(depth - 1);
      case 5:
      case 6:
        return this.#aggregation(depth - 1);
      case 7:
      case 8:
        return this.#binary(depth - 1);
      case 9:
        return this.#labelled(depth - 1);
      case 10:
        return random.chance(0.5) ? `-${this.#term(depth - 1)}` : `(${this.vector(depth - 1)})`;
      default:
        return this.#selector();
    }
  }

  scalar(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return random.pick(numbers);
    switch (random.below(6)) {
      case 0:
        return `scalar(${this.vector(depth - 1)})`;
      case 1:
        return random.pick(['time()', 'pi()']);
      case 2:
        return `(${this.scalar(depth - 1)} ${random.pick(['+', '-', '*', '/', '%', '^'])} ${this.scalar(depth - 1)})`;
      case 3:
        return `(${this.scalar(depth - 1)} ${random.pick(['<', '>=', '=='])} bool ${this.scalar(depth - 1)})`;
      default:
        return random.pick(numbers);
    }
  }

  /** An expression that reads series, or aggregates them. */
  leaf(): string {
    const random = this.#random;
    const of = random.chance(0.4) ? this.#selector() : this.#ofRange(1);
    const op = random.pick(simpleAggregations);
    return random.chance(0.5) ? of : `${op}${this.#grouping()} (${of})`;
  }

  /** The same, compared with a number. */
  compared(): string {
    const random = this.#random;
    const few = random.pick(['-5', '-(0.5)', '2 * 2', '(1 - 3)', '+7', '20']);
    const number = random.chance(0.5) ? random.pick(numbers) : few;
    const vector = this.leaf();
    const comparison = random.pick(['==', '!=', '<', '<=', '>', '>=', '< bool']);
    const sides = random.chance(0.5) ? [vector, number] : [number, `(${vector})`];
    return sides.join(` ${comparison} `);
  }

  #term(depth: number): string {
    return `(${this.vector(depth)})`;
  }

  #moved(): string {
    const random = this.#random;
    let text = '';
    if (random.chance(0.12)) text += ` offset ${random.pick(offsets)}`;
    if (random.chance(0.08)) {
      const at = (kDataStartMs + random.below(kDataEndMs - kDataStartMs)) / 1000;
      text += random.pick([` @ ${at.toFixed(3)}`, ' @ start()', ' @ end()']);
    }
    return text;
  }

  #selector(): string {
    return this.#random.pick(selectors) + this.#moved();
  }

  /** In a subquery Prometheus forgets that names must be dropped, which last_over_time shows. */
  #ofRange(depth: number): string {
    const name = this.#random.pick(ofRange);
    return `${name}(${this.#range(name === 'last_over_time' ? 0 : depth)})`;
  }

  #range(depth: number): string {
    const random = this.#random;
    if (depth > 0 && random.chance(0.25)) {
      const step = random.pick(['', '30s', '1m', '17s']);
      return `${this.#term(depth - 1)}[${random.pick(ranges)}:${step}]${this.#moved()}`;
    }
    return `${random.pick(selectors)}[${random.pick(ranges)}]${this.#moved()}`;
  }

  #rangeWithNumber(depth: number): string {
    const random = this.#random;
    const range = this.#range(depth);
    return random.pick([
      `quantile_over_time(${random.pick(['0.5', '0', '1', '0.9', '-1', '2'])}, ${range})`,
      `predict_linear(${range}, ${random.pick(['60', '3600', '-10'])})`,
      `double_exponential_smoothing(${range}, 0.5, 0.3)`,
    ]);
  }

  #ofValue(depth: number): string {
    const random = this.#random;
    const name = random.pick(ofValue);
    // With @ Prometheus 3.5 forgets the offset of a selector here.
    if (name === 'timestamp') return `timestamp(${random.pick(selectors)})`;
    if (random.chance(0.8)) return `${name}(${this.vector(depth)})`;
    const times = random.pick(['', 'temperature', 'timestamp(limit)', 'vector(time())']);
    return `${random.pick(ofTime)}(${times})`;
  }

  #ofValueWithNumbers(depth: number): string {
    const random = this.#random;
    const vector = this.vector(depth);
    return random.pick([
      `clamp(${vector}, ${random.pick(numbers)}, ${random.pick(numbers)})`,
      `clamp_min(${vector}, ${this.scalar(depth)})`,
      `clamp_max(${vector}, ${this.scalar(depth)})`,
      `round(${vector})`,
      `round(${vector}, ${random.pick(['0.1', '5', '0.25'])})`,
      `vector(${this.scalar(depth)})`,
      // Chaotic functions are applied to small values only.
      `${random.pick(['exp', 'sinh', 'cosh'])}(limit)`,
      `histogram_quantile(${random.pick(['0.5', '0.9', '0', '1', '1.5'])}, ${random.pick([`rate(latency_bucket[${random.pick(ranges)}])`, 'latency_bucket', `sum by (le, job) (rate(latency_bucket[5m]))`])})`,
      `histogram_fraction(${random.pick(['0.1', '-Inf', '0.3'])}, ${random.pick(['0.5', '1', 'Inf'])}, latency_bucket)`,
    ]);
  }

  #grouping(): string {
    const random = this.#random;
    const keys = labels.filter(() => random.chance(0.4)).join(', ');
    return random.pick(['', ` by (${keys})`, ` without (${keys})`, ` by (${keys})`]);
  }

  #aggregation(depth: number): string {
    const random = this.#random;
    const of = `${this.#grouping()} (`;
    const vector = `${this.vector(depth)})`;
    if (random.chance(0.15)) {
      return `quantile${of}${random.pick(['0.5', '0.9', '0', '1', '-2'])}, ${vector}`;
    }
    // The last digits of logarithms differ between machines, which would change groups here.
    if (random.chance(0.07)) return `count_values${of}"value", ${this.#selector()})`;
    const op = random.pick(simpleAggregations);
    // For large, close numbers such as times, the result depends on the order of series.
    const member = op.startsWith('std') ? `${this.#selector()})` : vector;
    return `${op}${of}${member}`;
  }

  #binary(depth: number): string {
    const random = this.#random;
    if (random.chance(0.4)) {
      const [vector, scalar] = [this.#term(depth), this.scalar(depth)];
      const op = random.pick(['+', '-', '*', '/', '%', '^', '>', '<=', '==', '!=', '> bool']);
      return random.chance(0.5) ? `${vector} ${op} ${scalar}` : `${scalar} ${op} ${vector}`;
    }
    if (random.chance(0.35)) {
      const op = random.pick(['and', 'or', 'unless']);
      return `${this.#term(depth)} ${op}${this.#on()} ${this.#term(depth)}`;
    }
    const op = random.pick(['+', '-', '*', '/', '%', '^', 'atan2', '>', '<=', '==', '!= bool']);
    if (random.chance(0.3)) {
      return `requests_total ${op} on (job) group_left () limit`;
    }
    return `${this.#term(depth)} ${op}${this.#on()} ${this.#term(depth)}`;
  }

  #on(): string {
    const random = this.#random;
    const keys = labels.filter(() => random.chance(0.4)).join(', ');
    return random.pick(['', '', ` on (${keys})`, ` ignoring (${keys})`]);
  }

  #labelled(depth: number): string {
    const vector = this.vector(depth);
    return this.#random.pick([
      `label_replace(${vector}, "to", "$1-x", "job", "(.*)")`,
      `label_replace(${vector}, "instance", "", "instance", "1.*")`,
      `label_replace(${vector}, "to", "$\{1}$2", "__name__", "(t)?(.*)")`,
      // Where info metrics come and go, Prometheus 3.5 takes those of other series.
      `info(${this.#selector()})`,
      `info(${this.#selector()}, {region="r0"})`,
      `label_join(${vector}, "both", "-", "job", "instance")`,
    ]);
  }
}

/**
 * Between vectors, Prometheus restores names that must be dropped. The names of such rows are not
 * compared.
 */
export function comparesVectors(expression: string): boolean {
  return /\) (?:>|<=|==|!=) /.test(expression);
}

export interface RandomTimes {
  readonly startMs: number;
  readonly endMs: number;
  /** Null: an instant query. */
  readonly stepMs: number | null;
}

/** Often at the very time of a scrape. */
export function randomTimes(random: Random): RandomTimes {
  const at = (): number => {
    const ms = kDataStartMs - 60_000 + random.below(kDataEndMs - kDataStartMs + 420_000);
    return random.chance(0.5)
      ? kDataStartMs + Math.floor((ms - kDataStartMs) / 15_000) * 15_000
      : ms;
  };
  const startMs = at();
  if (random.chance(0.4)) return { startMs, endMs: startMs, stepMs: null };
  const stepMs = random.pick([15_000, 60_000, 7_000, 30_000, 1_000, 120_000]);
  return { startMs, endMs: startMs + stepMs * random.below(30), stepMs };
}
