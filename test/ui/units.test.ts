/** Numbers of the page with their units. */

import { assert } from 'chai';

import { printCount, printSeconds, printValue, unitSymbol } from '../../src/ui/units.js';

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

  it('have a short sign beside many values, or the word as it was written', () => {
    const signs = ['percent', 'bytes/s', 'Celsius', 'furlongs', ''].map(unitSymbol);
    assert.deepEqual(signs, ['%', 'B/s', '°C', 'furlongs', '']);
  });

  it('have all their digits where things are counted', () => {
    assert.strictEqual(printCount(9_007_199_254_740_993n), '9,007,199,254,740,993');
  });
});
