/** Numbers of the page with their units. */

import { assert } from 'chai';

import { logMarks, valueMarks } from '../../src/ui/chart/value-axis.js';
import {
  alikePrinter,
  printCount,
  printMarks,
  printSeconds,
  printerOf,
  printValue,
  unitSymbol,
} from '../../src/ui/units.js';
import { Random, testSeed } from '../support/random.js';

describe('values of a column', () => {
  it('have four digits, or enough to differ from their neighbours', () => {
    const printed = (values: readonly number[], unit: string): readonly string[] =>
      values.map(printerOf(values, unit));
    assert.deepEqual(printed([99.9812, 99.9804, 12.34567, NaN], 'percent'), [
      ...['99.9812 %', '99.9804 %', '12.35 %', 'NaN %'],
    ]);
    assert.deepEqual(printed([230.01, 230.02, 230.01], 'V'), ['230.01 V', '230.02 V', '230.01 V']);
    assert.deepEqual(printed([1_048_576, 1_048_577], 'bytes'), ['1 MiB', '1.00000095 MiB']);
    assert.deepEqual(printed([1, 1 + 1e-13], ''), ['1', '1']);
  });
});

describe('values of a tooltip', () => {
  const printed = (values: readonly number[], unit: string, isFine = false): readonly string[] =>
    values.map(alikePrinter(values, { unit, isFine }));

  it('have the same decimal places, enough to differ from each other', () => {
    assert.deepEqual(printed([73.8123, 71.5255862, 56.882], 'percent'), [
      ...['73.81 %', '71.53 %', '56.88 %'],
    ]);
    assert.deepEqual(printed([230.0123, 230.0124], 'V'), ['230.0123 V', '230.0124 V']);
    assert.deepEqual(printed([21.5, 22, -3], 'celsius'), ['21.5 °C', '22.0 °C', '−3.0 °C']);
    assert.deepEqual(printed([3, 4, NaN], ''), ['3', '4', 'NaN']);
    assert.deepEqual(printed([0, 0], ''), ['0', '0']);
    assert.deepEqual(printed([379.25, 381], 'hertz'), ['379.3 Hz', '381.0 Hz']);
  });

  it('keep small values beside large ones', () => {
    assert.deepEqual(printed([75.1, 0.00123], ''), ['75.1000', '0.0012']);
    assert.deepEqual(printed([1e9, 1e-9], ''), ['1,000,000,000', '1.000e-9']);
  });

  it('have nine digits if they are samples', () => {
    assert.deepEqual(printed([69.88083514, 71.2], '', true), ['69.8808351', '71.2000000']);
    assert.deepEqual(printed([69.5, 71.2], '', true), ['69.5', '71.2']);
  });

  it('have their own digits if their sizes have different prefixes', () => {
    assert.deepEqual(printed([1_536, 12], 'bytes'), ['1.5 KiB', '12 B']);
    assert.deepEqual(printed([90, 1.5], 's'), ['1m 30s', '1.5 s']);
  });
});

describe('values with their units', () => {
  const values = [
    [0, 'bytes', '0 B'],
    [1536, 'bytes', '1.5 KiB'],
    [1_048_576, 'Byte', '1 MiB'],
    [1023, 'bytes', '1,023 B'],
    [-2048, 'bytes', '−2 KiB'],
    [1536, 'bytes/s', '1.5 KiB/s'],
    [1_200_000, 'bits', '1.2 Mbit'],
    [80.2345, 'percent', '80.23 %'],
    [0.5, 'ratio', '50 %'],
    [21.5, 'celsius', '21.5 °C'],
    [2.4e9, 'hertz', '2.4 GHz'],
    [0.0032, 's', '3.2 ms'],
    [3900, 'seconds', '1h 5m'],
    [250, 'ms', '250 ms'],
    [1500, 'us', '1.5 ms'],
    [12, 'ns', '12 ns'],
    [7, 'requests', '7 requests'],
    [7, '', '7'],
    [1204.6, '', '1,205'],
    [0.000_012_34, '', '1.234e-5'],
    [1e300, '', '1.000e+300'],
    [NaN, 'bytes', 'NaN'],
    [-Infinity, 's', '−∞'],
    [Infinity, '', '∞'],
  ] as const;
  for (const [value, unit, text] of values) {
    it(`print ${value} ${unit} as ${text}`, () => {
      assert.strictEqual(printValue(value, unit), text);
    });
  }

  const spans = [
    [0, '0 s'],
    [59.5, '59.5 s'],
    [60, '1m'],
    [65, '1m 5s'],
    [86_399.7, '1d'],
    [90_061, '1d 1h'],
    [-125, '−2m 5s'],
    [2e-9, '2 ns'],
  ] as const;
  for (const [seconds, text] of spans) {
    it(`print ${seconds} seconds as ${text}`, () => {
      assert.strictEqual(printSeconds(seconds), text);
    });
  }

  it('have a short unit sign, or the unit as written', () => {
    const signs = ['percent', 'bytes/s', 'Celsius', 'furlongs', ''].map(unitSymbol);
    assert.deepEqual(signs, ['%', 'B/s', '°C', 'furlongs', '']);
  });

  it('have all their digits for counts', () => {
    assert.strictEqual(printCount(9_007_199_254_740_993n), '9,007,199,254,740,993');
  });
});

describe('the tick labels of an axis', () => {
  const rows = [
    [[230.01, 230.02, 230.03], 'V', ['230.01 V', '230.02 V', '230.03 V']],
    [[1000.5, 1001.5], '', ['1,000.5', '1,001.5']],
    [[0, 0.25, 0.5], 'ratio', ['0 %', '25 %', '50 %']],
    [[0, 1024, 2048], 'bytes', ['0 B', '1 KiB', '2 KiB']],
    [[90_000, 90_060], 's', ['1d 1h', '1d 1h 1m']],
    [[60, 60.5], 's', ['1m', '1m 0.5s']],
    [[1e15, 1e15 + 1], '', ['1e+15', '1.000000000000001e+15']],
    [[1, 10, 100, 1000], 'bytes/s', ['1 B/s', '10 B/s', '100 B/s', '1,000 B/s']],
    [[5], 'V', ['5 V']],
  ] as const;
  for (const [marks, unit, texts] of rows) {
    it(`are ${texts.join(', ')}`, () => {
      assert.deepEqual(printMarks(marks, unit), texts);
    });
  }

  const units = [
    ...['', 'V', 'bytes', 'bits', 's', 'ms', 'us', 'ns', 'percent', 'ratio', 'celsius', 'hertz'],
    ...['bytes/s', 's/s', 'ratio/s', 'requests/s'],
  ];
  it(`are distinct in every unit (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    const real = (): number => random.below(2 ** 31) / 2 ** 31;
    for (let round = 0; round < 4_000; round += 1) {
      const middle = (real() - 0.5) * 10 ** (random.below(30) - 12);
      const width = Math.abs(middle) * 10 ** (2 - random.below(12)) * (0.1 + real());
      const [unit = ''] = units.slice(round % units.length);
      const range = [middle - width, middle + width] as const;
      const how = { count: 2 + random.below(8), isBinary: unit.startsWith('byte') };
      for (const marks of [valueMarks(range, how), logMarks(range)]) {
        const texts = printMarks(marks, unit);
        assert.strictEqual(new Set(texts).size, marks.length, `${unit}: ${texts.join(', ')}`);
      }
    }
  });
});
