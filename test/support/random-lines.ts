/** Lines of NDJSON with every unusual form of names, times and values. */

import { maximumTs, minimumTs } from './client.js';

import type { Random } from './random.js';

const oddTexts = [
  'a',
  '"q"',
  'two\nlines',
  'tab\t',
  'ü€😀',
  '\\',
  'comma,semi;',
  '=',
  ' ',
  '{}',
  '\u0001',
];
const oddValues = ['-0', '0', '5e-324', '1.7976931348623157e308', '0.1', '1e21', '-123456789.125'];

/** Lines of random series with random samples, some with descriptors. */
export function randomLines(random: Random, count: number): string {
  const pick = (all: readonly string[]): string => all[random.below(all.length)] ?? '';
  const time = (): bigint => {
    if (random.below(20) === 0) return random.below(2) === 0 ? minimumTs : maximumTs;
    return BigInt(random.below(1_000_000)) - 500_000n;
  };
  const value = (): string =>
    random.below(3) === 0 ? pick(oddValues) : String(random.below(1_000_000) / 8);
  let text =
    '{"metric":"m0","kind":"counter","unit":"B/\\"s\\"","description":"a\\nb","ts":1,"value":1}\n' +
    '{"metric":"m1","unit":"%","ts":1,"value":1}\n';
  for (let line = 0; line < count; line += 1) {
    const labels = Object.fromEntries(
      Array.from({ length: random.below(3) }, (_, at) => [`k${String(at)}`, pick(oddTexts)]),
    );
    const metric = `m${String(random.below(4))}`;
    const head = `{"metric":"${metric}","labels":${JSON.stringify(labels)}`;
    text += `${head},"ts":${String(time())},"value":${value()}}\n`;
  }
  return text;
}
