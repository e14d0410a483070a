/** Sample lines with difficult content: labels with every character, doubles of every kind. */
import { maximumTs, minimumTs } from './client.js';

import type { Random } from './random.js';

const texts = [
  ...[
    '',
    'a',
    '"q"',
    '""',
    'two\nlines',
    'a\r\nb',
    '\r',
    'tab\t',
    'ü€😀',
    '\\',
    'comma,semi;',
    '=',
  ],
  ...[' ', ' a ', '{}', '\u0001', '\u0000', '-0', 'NaN', 'null', '\ufeff', '#', "'", '\u2028'],
];
const keys = [
  'a',
  'b c',
  'ts',
  'ts_ms',
  'value',
  'metric',
  'label.x',
  'ü',
  'k,"',
  '__proto__',
  '1',
];
const names = ['m0', 'm1', 'm,2', 'm"3"', 'mü', 'metric'];
const doubles = [-0, 0, 5e-324, Number.MAX_VALUE, 0.1, 1e21, -123456789.125, 2 ** 53, 1e-7];

function anyDouble(random: Random): number {
  if (random.chance(0.3)) return random.pick(doubles);
  if (random.chance(0.3)) return random.below(1_000_000) / 8;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, random.int64());
  const value = view.getFloat64(0);
  return Number.isFinite(value) ? value : 0;
}

function anyTime(random: Random): bigint {
  if (random.chance(0.03)) return random.chance(0.5) ? minimumTs : maximumTs;
  return random.chance(0.1) ? random.int64() : BigInt(random.below(1_000_000)) - 500_000n;
}

/** `count` lines of NDJSON; two of the metrics have descriptors. */
export function hostileLines(random: Random, count: number): string {
  let text =
    '{"metric":"m0","kind":"counter","unit":"B/\\"s\\"","description":"a\\nb,","ts":1,"value":1}\n' +
    '{"metric":"m,2","unit":"","ts":1,"value":1}\n';
  for (let line = 0; line < count; line += 1) {
    const pairs = Array.from({ length: random.below(4) }, () => [random.pick(keys)] as const);
    const labels = new Map(pairs.map(([key]) => [key, random.pick(texts)]));
    const members = [...labels].map(
      ([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`,
    );
    const value = anyDouble(random);
    text +=
      `{"metric":${JSON.stringify(random.pick(names))},"labels":{${members.join(',')}},` +
      `"ts":${String(anyTime(random))},"value":${Object.is(value, -0) ? '-0' : String(value)}}\n`;
  }
  return text;
}
