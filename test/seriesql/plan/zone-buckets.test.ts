/**
 * Calendar buckets in every time zone, minute by minute around every change of its clocks. The
 * suite looks at the changes of a few zones; with SERIESDB_ALL_ZONES=1 at those of all of them,
 * which takes some minutes.
 */

import { assert } from 'chai';

import { bucketStart, nextBucket } from '../../../src/query/seriesql/plan/bucket.js';
import { countedFormats } from '../../support/counted-formats.js';
import { Random, testSeed } from '../../support/random.js';

import type { TimeBucket } from '../../../src/query/seriesql/plan/plan.js';

const kDay = 86_400;
/** Clocks changed at 00:01 in the first three, at 24:00 in others, and two left out a day. */
const oddZones = [
  ...['America/St_Johns', 'America/Goose_Bay', 'America/Moncton', 'America/Sao_Paulo'],
  ...['America/Havana', 'Asia/Beirut', 'Pacific/Apia', 'Pacific/Kwajalein', 'America/Juneau'],
  ...['Africa/Casablanca', 'Antarctica/Troll', 'Australia/Lord_Howe', 'Europe/Berlin'],
];
/** The changes that are tried of each of them. */
const kOddRounds = 6;
const isWhole = process.env['SERIESDB_ALL_ZONES'] === '1';

interface Change {
  readonly zone: string;
  readonly second: number;
}

describe('buckets of local days', () => {
  it('start no later than their times when clocks changed a minute after midnight', () => {
    const start = startText('2010-11-07T02:40:00Z', days('America/St_Johns'));
    assert.strictEqual(start, '2010-11-06T02:30:00.000Z');
    const first = startText('2010-11-07T02:30:59Z', days('America/St_Johns'));
    assert.strictEqual(first, '2010-11-07T02:30:00.000Z');
    const again = startText('2010-11-07T03:30:00Z', days('America/St_Johns'));
    assert.strictEqual(again, '2010-11-07T02:30:00.000Z');
  });

  it('make one format of a zone, however its name is written', () => {
    const count = countedFormats(() => {
      for (const zone of ['Asia/Dhaka', 'asia/dhaka', 'ASIA/DHAKA', 'aSIA/dHAKA']) {
        const start = startText('2010-11-07T20:00:00Z', days(zone));
        assert.strictEqual(start, '2010-11-07T18:00:00.000Z');
      }
    });
    assert.strictEqual(count, 1);
  });

  it(`contain the times of their days around clock changes (seed ${testSeed})`, function () {
    this.timeout(isWhole ? 3_600_000 : 60_000);
    let count = 0;
    for (const change of isWhole ? everyChange() : someChanges()) {
      checkAround(change);
      count += 1;
    }
    // The random zones add more, unless their clocks never change.
    assert.isAtLeast(count, isWhole ? 8_000 : oddZones.length * kOddRounds);
  });
});

const days = (zone: string): TimeBucket => ({ kind: 'days', count: 1, offset: 0, zone });
const months = (zone: string): TimeBucket => ({ kind: 'months', count: 1, zone });

function startText(time: string, bucket: TimeBucket): string {
  const start = bucketStart(bucket, BigInt(Date.parse(time)), 'ms');
  return new Date(Number(start)).toISOString();
}

/** Every change of the odd zones in some years, and one of each of a few others. */
function* someChanges(): Generator<Change> {
  const random = new Random(testSeed);
  const late = { from: Date.UTC(1985, 0) / 1000, to: Date.UTC(2012, 0) / 1000 };
  for (const zone of oddZones) {
    const found = [...changesOf(zone, late)];
    for (let round = 0; round < kOddRounds; round += 1) {
      const second = found[random.below(found.length)];
      if (second !== undefined) yield { zone, second };
    }
  }
  const all = Intl.supportedValuesOf('timeZone');
  for (let round = 0; round < 4; round += 1) {
    const zone = all[random.below(all.length)] ?? 'UTC';
    for (const second of changesOf(zone, late)) yield { zone, second };
  }
}

/** Zones that agree around a change are checked once. */
function* everyChange(): Generator<Change> {
  const seen = new Set<string>();
  const range = { from: Date.UTC(1840, 0) / 1000, to: Date.UTC(2040, 0) / 1000 };
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    for (const second of changesOf(zone, range)) {
      const key = `${second} ${offsetOf(second - 1, zone)} ${offsetOf(second, zone)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield { zone, second };
    }
  }
}

/** Found in steps of five days, the last one by halves. */
function* changesOf(zone: string, range: { from: number; to: number }): Generator<number> {
  const step = 5 * kDay;
  let before = offsetOf(range.from, zone);
  for (let at = range.from; at < range.to; at += step) {
    const after = offsetOf(at + step, zone);
    if (after === before) continue;
    let [low, high] = [at, at + step];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetOf(middle, zone) === before) low = middle;
      else high = middle;
    }
    before = after;
    yield high;
  }
}

function checkAround({ zone, second }: Change): void {
  const nearMidnight = [second - kDay, second, second + kDay].map((at) => midnightBy(at, zone));
  for (const middle of [second, ...nearMidnight]) {
    for (let minute = -75; minute <= 75; minute += 1) check(middle + minute * 60, zone);
    for (const one of [-1, 0, 1]) check(middle + one, zone);
  }
}

/** Some midnight near a time, about. */
function midnightBy(second: number, zone: string): number {
  const offset = offsetOf(second, zone);
  return Math.round((second + offset) / kDay) * kDay - offset;
}

function check(second: number, zone: string): void {
  for (const bucket of [days(zone), months(zone)]) {
    const isOf = bucket.kind === 'days' ? dayOf : monthOf;
    const own = isOf(second, zone);
    const start = Number(bucketStart(bucket, BigInt(second), 's'));
    const next = Number(nextBucket(bucket, BigInt(start), 's'));
    const isRight =
      start <= second &&
      isOf(start, zone) === own &&
      isOf(start - 1, zone) < own &&
      isOf(next, zone) > own &&
      isOf(next - 1, zone) <= own;
    const told = (): string => `${bucket.kind}: ${second}, ${start} to ${next} in ${zone}`;
    if (!isRight) assert.fail(told());
  }
}

const dayOf = (second: number, zone: string): number =>
  Math.floor((second + offsetOf(second, zone)) / kDay);

function monthOf(second: number, zone: string): number {
  const local = new Date((second + offsetOf(second, zone)) * 1000);
  return local.getUTCFullYear() * 12 + local.getUTCMonth();
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** The cache of the last zone. */
let offsets = { zone: '', known: new Map<number, number>() };

/** Seconds that local time is ahead of UTC, by another Intl format than in `src`. */
function offsetOf(second: number, zone: string): number {
  if (offsets.zone !== zone) offsets = { zone, known: new Map() };
  const known = offsets.known.get(second);
  if (known !== undefined) return known;
  const found = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(formatOf(zone).format(second * 1000));
  if (found === null) throw new Error(`no offset of ${zone}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = found;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const offset = sign === '-' ? -size : size;
  offsets.known.set(second, offset);
  return offset;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  return format;
}
