/** Seeded ingest lines: most are good, the others have every known kind of error. */

import type { Random } from './random.js';

const names = ['cpu', 'mem.used', '\\u0063pu', 'größe', 'dup', '__proto__', 'a\\"b\\\\c', '温度'];
const badNames = ['', 'a\\u0000', 'a\\n', 'a\\u0085', 'x'.repeat(255), 'x'.repeat(256), '\\ud800'];
const fieldKeys = ['user', 'system', 'idle', 'a\\"b', '\\u0075ser', '__proto__', 'constructor'];
const labelKeys = [
  'host',
  'cpu',
  'zone',
  '\\u0068ost',
  '__proto__',
  'größe',
  'a b',
  '\\ud83c\\udf21',
];
const labelValues = [
  ...[
    '"a"',
    '"b"',
    '""',
    '"groß"',
    '"\\"\\\\"',
    '"\\ud83c\\udf21"',
    '"\\u0000\\n"',
    '"\\/"',
    '"🌡"',
  ],
  ...['1', '1.50', '-1E5', '1e309', 'true', 'false', 'null'],
];
const badValues = ['{}', '[]', '[1]', '{"a":1}', '01', 'tru', '"\\q"', '"\\udc00"', ''];
const oddNumbers = [
  ...['-0', '0', '0.0', '-0.0', '1e309', '-1e309', '1.7976931348623157e308', '5e-324', '2e-324'],
  ...[
    '1e-400',
    '-1e-400',
    '1E+3',
    '1e-0',
    '1.0',
    '0.30000000000000004',
    '1e22',
    '1e23',
    '1e999999',
  ],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775808'],
  ...['-9223372036854775809', '123456789012345678901234567890', `1${'0'.repeat(308)}`],
  ...[`1${'0'.repeat(309)}`, `0.${'0'.repeat(330)}1`, `${'9'.repeat(40)}e-30`],
  ...['0.1000000000000000055511151231257827021181583404541015625', '2.2250738585072011e-308'],
  ...['179769313486231580793728971405301199e273', '4503599627370497.5', '72057594037927945'],
];
const badNumbers = ['01', '1.', '-', '.5', '+1', '1e', '0x1', 'NaN', 'null', '"1"', 'true', '{}'];
const extras = [
  ...[
    '"seq":1',
    '"seq":1e999',
    '"note":"a \\"ts\\":1"',
    '"deep":[[1,{"a":2}]]',
    '"ts":5',
    '"ts":"x"',
  ],
  ...['"value":null', '"value":7', '"tags":7', '"labels":null', '"labels":{}', '"tags":{"t":1}'],
  ...['"fields":{}', '"fields":{"late":1}', '"fields":null', '"series":"s"', '"metric":null'],
  ...[
    '"metric":"other"',
    '"x":[[[[[[[1]]]]]]]',
    '"x":[[[[[[[[1]]]]]]]]',
    '"x":{"y":{"y":{"y":{}}}}',
  ],
  ...['"":0', '"unit":"s"', '"unit":"ms"', '"unit":""', '"unit":5', '"description":"d\\u00e9"'],
  ...['"kind":"gauge"', '"kind":"counter"', '"kind":"odd"', '"kind":null', '"__proto__":{"ts":1}'],
];
const mutationBytes = Buffer.from('{}[]",:\\0123456789.eE+- \t\r\n\0tsvxu\x80\xff\xc3', 'latin1');

/** One line without its newline. */
export function makeLine(random: Random): Buffer {
  const isLegacy = random.chance(0.25);
  const blank = random.chance(0.15) ? random.pick([' ', '\t', '  ']) : '';
  const name = random.chance(0.02) ? random.pick(badNames) : random.pick(names);
  const parts = [
    `"${isLegacy ? 'series' : 'metric'}":${blank}"${name}"`,
    `"ts":${blank}${timestamp(random)}`,
  ];
  if (random.chance(0.8)) parts.push(`"${isLegacy ? 'tags' : 'labels'}":${labels(random, blank)}`);
  const hasValue = random.chance(0.75);
  if (hasValue) parts.push(`"value":${blank}${number(random)}`);
  if (!hasValue || random.chance(0.2)) parts.push(`"fields":${fields(random, isLegacy, blank)}`);
  while (random.chance(0.15)) parts.push(random.pick(extras));
  if (random.chance(0.5)) shuffle(parts, random);
  const line = `${blank}{${blank}${parts.join(`,${blank}`)}${blank}}${random.chance(0.1) ? '\r' : ''}`;
  return Buffer.from(line);
}

function timestamp(random: Random): string {
  if (random.chance(0.02)) return random.pick([...oddNumbers, ...badNumbers]);
  if (random.chance(0.02)) return String(random.int64());
  return String(1_700_000_000_000 + random.below(2_000));
}

function number(random: Random): string {
  if (random.chance(0.01)) return random.pick(badNumbers);
  return random.chance(0.1) ? random.pick(oddNumbers) : plainNumber(random);
}

function plainNumber(random: Random): string {
  const kind = random.below(4);
  if (kind === 0) return String(random.below(100));
  if (kind === 1) return String(random.below(2 ** 30) - 2 ** 29);
  if (kind === 2) return (random.unit() * 1_000).toFixed(random.below(6));
  return String((random.unit() - 0.5) * 10 ** (random.below(60) - 30));
}

function labels(random: Random, blank: string): string {
  if (random.chance(0.01)) return random.pick(['5', '"a"', '[]', 'null', 'true']);
  if (random.chance(0.005)) return manyLabels(64 + random.below(2));
  if (random.chance(0.005)) return `{"k":"${'v'.repeat(16_370 + random.below(10))}"}`;
  const members: string[] = [];
  for (let count = random.below(4); count > 0; count--) {
    const value = random.chance(0.01) ? random.pick(badValues) : random.pick(labelValues);
    const key = random.chance(0.01) ? random.pick(badNames) : random.pick(labelKeys);
    members.push(`"${key}":${blank}${value}`);
  }
  return `{${members.join(`${blank},`)}}`;
}

function manyLabels(count: number): string {
  const members = Array.from({ length: count }, (_, at) => `"k${at}":${at}`);
  return `{"none":null,${members.join(',')}}`;
}

function fields(random: Random, isLegacy: boolean, blank: string): string {
  if (random.chance(0.01)) return random.pick(['5', '"a"', '[]', 'null', '{"":1}']);
  const members: string[] = [];
  const oddity = isLegacy ? 0.2 : 0.01;
  for (let count = random.chance(0.03) ? 0 : 1 + random.below(3); count > 0; count--) {
    const value = random.chance(oddity) ? random.pick(labelValues) : number(random);
    const key = random.chance(0.005) ? 'f'.repeat(249 + random.below(5)) : random.pick(fieldKeys);
    members.push(`"${key}"${blank}:${value}`);
  }
  return `{${members.join(',')}}`;
}

export function shuffle(list: unknown[], random: Random): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    list.push(...list.splice(other, 1));
  }
}

/** A few bytes erased, put in, overwritten or repeated. */
export function mutate(line: Buffer, random: Random): Buffer {
  let bytes = [...line];
  for (let edits = 1 + random.below(2); edits > 0; edits--) {
    const at = random.below(bytes.length);
    const byte = mutationBytes[random.below(mutationBytes.length)] ?? 0;
    const kind = random.below(5);
    if (kind === 0) bytes.splice(at, 1 + random.below(3));
    else if (kind === 1) bytes.splice(at, 0, byte);
    else if (kind === 2) bytes[at] = byte;
    else if (kind === 3) bytes.splice(at, 0, ...bytes.slice(random.below(at + 1)).slice(0, 12));
    else bytes = random.chance(0.1) ? bytes.slice(0, at) : bytes;
  }
  return Buffer.from(bytes);
}

/** The line with its numbers replaced; sometimes one of them is unusual. */
export function renumber(line: Buffer, random: Random): Buffer {
  const text = line
    .toString('latin1')
    .replace(
      /([:[,]\s*)(-?\d+)(\.\d+)?(?=\s*[,}\]])/g,
      (all: string, before: string, whole: string, fraction: string | undefined) => {
        if (whole.length < 2 && random.chance(0.5)) return all;
        if (random.chance(0.01)) return before + random.pick(oddNumbers);
        if (whole.length === 13) return before + String(1_700_000_000_000 + random.below(2_000));
        return (
          before + (fraction === undefined ? String(random.below(10_000)) : plainNumber(random))
        );
      },
    );
  return Buffer.from(text, 'latin1');
}
