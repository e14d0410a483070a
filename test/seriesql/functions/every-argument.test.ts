/** Calls of every scalar function, made from its declaration: a new function needs no line here. */

import { assert } from 'chai';

import { scalarFunctions } from '../../../src/query/seriesql/functions/scalar-functions.js';
import { removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';
import { Engines } from '../compiled/engines.js';
import { float, integer, number } from '../compiled/expression-maker.js';
import { assertSame, randomStorage } from '../compiled/worlds.js';

import type {
  ArgumentKind,
  ScalarFunction,
} from '../../../src/query/seriesql/functions/scalar-function.js';
import type { Storage } from '../../../src/storage/storage.js';

const kCallsOfFunction = 30;
const functions: readonly ScalarFunction[] = Object.values(scalarFunctions);

const edges = [
  ...['null', '0', '-0.0', '1', '-1', '0.5', '1e308', '-1e308', '5e-324'],
  ...['9223372036854775807', '-9223372036854775807', 'value - value', 'nullif(value, value)'],
];
const numbers = (random: Random): string =>
  random.chance(0.4) ? random.pick(edges) : random.pick([float, integer, number])(random, 1);
const texts = ["''", "'é'", "'😀x'", 'tag.host', 'tag.none', 'metric', "concat(metric, '-b')"];

const argumentOf: Readonly<Record<ArgumentKind, (random: Random) => string>> = {
  number: numbers,
  any: numbers,
  text: (random) => random.pick(texts),
  integer: (random) => random.pick(['0', '1', '2', '-3', '400', 'null', 'time % 5']),
  pattern: (random) => random.pick(["'(.)'", "'(x*)é?'"]),
  group: (random) => random.pick(['0', '1']),
};

/** Of a type that no such parameter takes. */
const wrongOf: Readonly<Partial<Record<ArgumentKind, string>>> = {
  number: "'x'",
  text: 'value > 1',
  integer: "'x'",
};

function randomCall({ name, parameters }: ScalarFunction, random: Random): string {
  const args = parameters.flatMap(({ kind, isOptional, isRepeated }) => {
    const count = isOptional === true ? random.below(2) : 1 + (isRepeated === true ? 2 : 0);
    return Array.from({ length: count }, () => argumentOf[kind](random));
  });
  return `${name}(${args.join(', ')})`;
}

describe('every scalar function', () => {
  let storage: Storage;
  let engines: Engines;

  before(async () => {
    storage = await randomStorage(new Random(testSeed));
    engines = new Engines(storage);
  });
  after(async () => {
    await storage.close();
    removeDirectories();
  });

  for (const [shift, one] of functions.entries()) {
    it(`${one.name} means the same in both engines, whatever its arguments, seed ${testSeed}`, async () => {
      const random = new Random(testSeed + shift);
      let answered = 0;
      for (let at = 0; at < kCallsOfFunction; at++) {
        const call = randomCall(one, random);
        // The addon evaluates expressions in keys and aggregates, and never those only shown.
        const text = `select ${call}, max(${call}), count(${call}) from cpu.* where time > 0 group by ${call}`;
        const legacy = await engines.answer(text, 'legacy');
        assertSame(text, legacy, await engines.answer(text, 'compiled'));
        answered += legacy.stats === null ? 0 : 1;
      }
      assert.isAbove(answered, kCallsOfFunction / 4);
    });

    it(`${one.name} refuses a missing argument, one too many, and one of another type`, async () => {
      const random = new Random(testSeed + shift);
      const args = one.parameters.map(({ kind }) => argumentOf[kind](random));
      const isOpen = one.parameters.some(({ isRepeated }) => isRepeated);
      const bad = [[], ...(isOpen ? [] : [[...args, '1']])];
      for (const [place, { kind }] of one.parameters.entries()) {
        const wrong = wrongOf[kind];
        if (wrong !== undefined) bad.push(args.map((arg, at) => (at === place ? wrong : arg)));
      }
      for (const some of bad) {
        const text = `select ${one.name}(${some.join(', ')}) from cpu.* where time > 0`;
        for (const mode of ['legacy', 'compiled'] as const) {
          const { columns } = await engines.answer(text, mode);
          assert.strictEqual(columns, 'validation_failed', text);
        }
      }
    });
  }
});
