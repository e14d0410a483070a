/** Times of the page: in the zone, with its offset, to the last digit of the unit. */

import { assert } from 'chai';

import {
  allZones,
  epochMs,
  isZone,
  msOfLocal,
  offsetSeconds,
  perSecond,
  printIso,
  printOffset,
  printTime,
  startOfDay,
  tsOfMs,
  zoneFault,
} from '../../src/ui/zone.js';
import { zoneHint } from '../../src/common/model/zone.js';
import { countedFormats } from '../support/counted-formats.js';

const kHourMs = 3_600_000;
const berlin = 'Europe/Berlin';

describe('times in a zone', () => {
  const printed = [
    ['ms', berlin, 1_795_227_120_000n, '2026-11-21 03:12:00 +01:00'],
    ['ms', berlin, 1_782_000_000_250n, '2026-06-21 02:00:00.250 +02:00'],
    ['s', 'UTC', 0n, '1970-01-01 00:00:00 +00:00'],
    ['s', 'Asia/Kolkata', -1n, '1970-01-01 05:29:59 +05:30'],
    ['us', 'America/St_Johns', 1_500_001n, '1969-12-31 20:30:01.500001 -03:30'],
    ['ns', 'UTC', -1n, '1969-12-31 23:59:59.999999999 +00:00'],
    ['ns', 'UTC', 9_223_372_036_854_775_807n, '2262-04-11 23:47:16.854775807 +00:00'],
    ['s', 'Africa/Monrovia', -1_500_000_000n, '1922-06-20 20:35:30 -00:44:30'],
    ['ms', 'UTC', 9_223_372_036_854_775_807n, '9223372036854775807'],
  ] as const;
  for (const [unit, zone, ts, text] of printed) {
    it(`print ${ts} ${unit} as ${text}`, () => {
      assert.strictEqual(printTime(ts, { unit, zone }), text);
    });
  }

  it('are printed with the offset of that time, not of today', () => {
    assert.strictEqual(printOffset(offsetSeconds(Date.UTC(2026, 0, 1), berlin)), '+01:00');
    assert.strictEqual(printOffset(offsetSeconds(Date.UTC(2026, 6, 1), berlin)), '+02:00');
    assert.strictEqual(printOffset(0), '+00:00');
  });

  it('have days of 23 and 25 hours at clock changes', () => {
    const hoursOf = (day: number): number =>
      (startOfDay(day, berlin, 1) - startOfDay(day, berlin)) / kHourMs;
    assert.strictEqual(hoursOf(Date.UTC(2026, 2, 29, 12)), 23);
    assert.strictEqual(hoursOf(Date.UTC(2026, 9, 25, 12)), 25);
    assert.strictEqual(hoursOf(Date.UTC(2026, 10, 21, 12)), 24);
    const week = startOfDay(Date.UTC(2026, 2, 25), berlin);
    assert.strictEqual((startOfDay(week, berlin, 7) - week) / kHourMs, 167);
  });

  it('that clocks skip are shifted later, and repeated ones mean the first', () => {
    const skipped = msOfLocal({ year: 2026, month: 3, day: 29, hour: 2, minute: 30 }, berlin);
    assert.strictEqual(new Date(skipped).toISOString(), '2026-03-29T01:30:00.000Z');
    const twice = msOfLocal({ year: 2026, month: 10, day: 25, hour: 2, minute: 30 }, berlin);
    assert.strictEqual(new Date(twice).toISOString(), '2026-10-25T00:30:00.000Z');
  });

  it('start a day at its first moment even if midnight is skipped', () => {
    const day = startOfDay(Date.UTC(2018, 10, 4, 12), 'America/Sao_Paulo');
    assert.strictEqual(new Date(day).toISOString(), '2018-11-04T03:00:00.000Z');
  });

  it('parse back from their printed form, in every unit', () => {
    for (const unit of ['s', 'ms', 'us', 'ns'] as const) {
      const ts = tsOfMs(1_795_227_120_000, unit);
      assert.strictEqual(epochMs(ts, unit), 1_795_227_120_000);
      assert.strictEqual(printIso(ts, unit), '2026-11-21T02:12:00Z');
      assert.strictEqual(tsOfMs(-1, unit), unit === 's' ? -1n : -perSecond(unit) / 1000n);
    }
    assert.isNull(epochMs(9_223_372_036_854_775_807n, 's'));
  });

  it('accept zones by name', () => {
    assert.isTrue(isZone('Europe/Berlin'));
    assert.isFalse(isZone('Europe/Nowhere'));
    assert.strictEqual(allZones()[0], 'UTC');
    assert.isAbove(allZones().length, 300);
  });

  it('make one format of a zone, however its name is written', () => {
    const count = countedFormats(() => {
      for (const name of ['Asia/Bangkok', 'asia/bangkok', 'ASIA/BANGKOK', 'aSIA/bANGKOK']) {
        assert.strictEqual(offsetSeconds(0, name), 7 * 3600);
      }
    });
    assert.strictEqual(count, 1);
    // K of Kelvin, which becomes k where all of Unicode is put into lower case.
    assert.isFalse(isZone('Asia/Bang\u212aok'));
  });

  it('suggest a zone for an unknown name', () => {
    const meant = [
      ['Europe/Berln', 'Europe/Berlin'],
      ['europe/pariss', 'Europe/Paris'],
      ['Berlin', 'Europe/Berlin'],
      ['new york', 'America/New_York'],
      ['Lodnon', 'Europe/London'],
      ['UCT+', null],
      ['MSK', null],
      ['Rom', 'Europe/Rome'],
      ['Mars/Base', null],
      ['', null],
      ['x'.repeat(70_000), null],
    ] as const;
    for (const [name, zone] of meant) {
      const ending =
        zone === null ? 'zones have names like Europe/Berlin.' : `did you mean ${zone}?`;
      assert.include(zoneFault(name), `; ${ending}`, name.slice(0, 40));
      assert.isBelow(zoneFault(name).length, 1200);
    }
    assert.strictEqual(zoneHint('Berln', "'"), "did you mean 'Europe/Berlin'?");
  });
});
