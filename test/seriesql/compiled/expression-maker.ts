/** Random expressions over a sample; the compiled engine accepts all of them. */

import type { Random } from '../../support/random.js';

type Make = (random: Random, depth: number) => string;

const floats = ['value', 'value', 'value', '1.5', '-0.25', '1e300', '0.1', 'tag_number'];
const integers = ['time', 'time', 'series_id', '7', '-3', '0', '9223372036854775807', '1000'];
const texts = [
  ...['tag.host', 'tag.none', 'metric', "concat(tag.host, 'x')", "coalesce(tag.dc, '-')"],
  "case when tag.host = 'a' then upper(metric) else tag.dc end",
];
const operators = ['=', '!=', '<', '<=', '>', '>='];

/** `tag_number` stands for a number that differs per series. */
const leaf = (random: Random, from: readonly string[]): string =>
  random.pick(from).replace('tag_number', "cast(length(concat(tag.host, 'ab')) as float)");

export const float: Make = (random, depth) => {
  if (depth <= 0) return leaf(random, floats);
  const a = (): string => float(random, depth - 1);
  const any = (): string => number(random, depth - 1);
  return random.pick<() => string>([
    () => `(${a()} ${random.pick(['+', '-', '*', '/', '%'])} ${any()})`,
    () => `(${any()} / ${any()})`,
    () => `(- ${a()})`,
    () => `${random.pick(['abs', 'ceil', 'floor', 'trunc', 'sign', 'round'])}(${a()})`,
    () => `round(${a()}, ${random.pick(['1', '2', '0', '-1', '-2', '12', '-400', '330', 'null'])})`,
    () => `round(${a()}, ${integer(random, depth - 1)} % ${random.pick(['4', '30', '400'])})`,
    () => `${random.pick(['sqrt', 'exp', 'ln', 'log10', 'log2'])}(${any()})`,
    () => `${random.pick(['ln', 'log10', 'log2'])}(abs(${any()}))`,
    () => `pow(${any()}, ${random.pick([any, () => random.pick(['2', '0.5', '-3', '0'])])()})`,
    () => `${random.pick(['greatest', 'least', 'coalesce'])}(${a()}, ${any()}, ${any()})`,
    () => `nullif(${a()}, ${any()})`,
    () => `case when ${boolean(random, depth - 1)} then ${a()} else ${any()} end`,
    () => `case when ${boolean(random, depth - 1)} then ${a()} end`,
    () => `cast(${random.pick([any, () => boolean(random, depth - 1)])()} as float)`,
  ])();
};

export const integer: Make = (random, depth) => {
  if (depth <= 0) return leaf(random, integers);
  const a = (): string => integer(random, depth - 1);
  return random.pick<() => string>([
    () => `(${a()} ${random.pick(['+', '-', '*', '%'])} ${a()})`,
    () => `(- ${a()})`,
    () => `${random.pick(['abs', 'ceil', 'floor', 'trunc', 'sign', 'round'])}(${a()})`,
    () => `round(${a()}, ${random.pick(['1', '-1', '-3', '-19', '-25'])})`,
    () => `round(${a()}, ${a()} % 25)`,
    () => `${random.pick(['greatest', 'least', 'coalesce'])}(${a()}, ${a()}, null)`,
    () => `nullif(${a()}, ${number(random, depth - 1)})`,
    () => `case when ${boolean(random, depth - 1)} then ${a()} else ${a()} end`,
    () => `cast(${number(random, depth - 1)} as integer)`,
    () => `cast(${boolean(random, depth - 1)} as integer)`,
    () => `time_bucket(${random.pick(['7', '1m', '1mo', '1y', '5mo', '1w'])}, time)`,
    () => `time_bucket(${random.pick(['100', '1s'])}, time, ${random.pick(['13', '-99999'])})`,
    () => "length(concat(tag.host, 'x'))",
  ])();
};

export const number: Make = (random, depth) =>
  random.chance(0.6) ? float(random, depth) : integer(random, depth);

/** A text that may be another for each sample. */
export const chosenText: Make = (random, depth) => {
  if (depth <= 0) return random.pick([...texts, "'b'", "'zz'"]);
  const a = (): string => chosenText(random, depth - 1);
  const when = (): string => boolean(random, depth - 1);
  return random.pick<() => string>([
    () => leaf(random, texts),
    () => `case when ${when()} then ${a()} else ${a()} end`,
    () => `case when ${when()} then ${a()} end`,
    () => `coalesce(case when ${when()} then tag.dc end, ${a()}, 'none')`,
    () => `${random.pick(['greatest', 'least'])}(${a()}, case when ${when()} then 'x' end)`,
    () => `nullif(${a()}, case when ${when()} then 'a' else tag.host end)`,
  ])();
};

export const boolean: Make = (random, depth) => {
  if (depth <= 0)
    return `value ${random.pick(operators)} ${random.pick(['50', '20.5', '0', '-1'])}`;
  const a = (): string => boolean(random, depth - 1);
  const n = (): string => number(random, depth - 1);
  const not = random.pick(['', 'not ']);
  return random.pick<() => string>([
    () => `${n()} ${random.pick(operators)} ${n()}`,
    () => `${n()} ${random.pick(operators)} ${n()}`,
    () => `(${a()} ${random.pick(['and', 'or'])} ${a()})`,
    () => `(not ${a()})`,
    () => `(${a()}) ${random.pick(operators)} (${a()})`,
    () => `(${n()} is ${not}null)`,
    () => `(${n()} ${not}between ${n()} and ${n()})`,
    () => `(${n()} ${not}in (${n()}, 7, 20.5${random.pick(['', ', null'])}))`,
    () => `(${leaf(random, texts)} ${not}like 'a%' or ${a()})`,
    () => `(${chosenText(random, depth - 1)} ${random.pick(operators)} ${leaf(random, texts)})`,
    () => `(${chosenText(random, depth - 1)} ${not}in ('a', 'x', tag.host))`,
    () => `(${leaf(random, texts)} ${random.pick(operators)} 'b' and ${a()})`,
    () => `${random.pick(['greatest', 'least', 'coalesce'])}(${a()}, ${a()}, null)`,
    () => `case when ${a()} then ${a()} else ${random.pick(['true', 'null', 'false'])} end`,
  ])();
};
