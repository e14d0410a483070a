/** Times, durations, limits and label names, parsed as in Prometheus. */
import { expect } from 'chai';

import { AppError } from '../../../src/common/errors/app-error.js';
import { labelNameOf } from '../../../src/http/protocols/prometheus/label-name.js';
import {
  parseLengthMs,
  parseLimit,
  parseOptionalTimeMs,
  parseTimeMs,
} from '../../../src/http/protocols/prometheus/times.js';

const most = Number.MAX_SAFE_INTEGER;
const told = (why: string) => new AppError('invalid_parameter', why);

describe('Prometheus parameters', () => {
  it('a time is seconds or RFC 3339, rounded to a millisecond', () => {
    for (const [text, ms] of [
      ['0', 0],
      ['1.2345', 1234],
      ['1.9996', 2000],
      ['-1.0006', -1001],
      ['+5e0', 5000],
      ['.5', 500],
      ['5.', 5000],
      ['1700000000.123', 1_700_000_000_123],
      ['2020-01-01T00:00:00Z', 1_577_836_800_000],
      ['2020-01-01T00:00:00.1239999+02:00', 1_577_829_600_123],
      ['1969-12-31T23:59:59.9999Z', -1],
      ['1e30', most],
      ['-1e30', -most],
      ['-292273086-05-16T16:47:06Z', -most],
      ['292277025-08-18T07:12:54.999999999Z', most],
    ] as const) {
      expect(parseTimeMs('time', text), text).to.equal(ms);
    }
    const wrong = ['', 'x', ' 5', '5 ', '0x10', '1_0', 'NaN', 'Inf', '2020-01-01', '1e', '--1'];
    wrong.push('1e999', '-1e999', '9'.repeat(400));
    wrong.push('2020-01-01T00:00:00', '2020-01-01t00:00:00z', '2020-13-01T00:00:00Z');
    for (const text of wrong) {
      const sentence = `invalid parameter "time": cannot parse "${text}" to a valid timestamp`;
      expect(() => parseTimeMs('time', text), text).to.throw(AppError, sentence);
    }
    expect(parseOptionalTimeMs('time')).to.equal(null);
    expect(parseOptionalTimeMs('time', '')).to.equal(null);
    expect(parseOptionalTimeMs('time', '0')).to.equal(0);
  });

  it('a duration is seconds or a literal, in whole milliseconds', () => {
    for (const [text, ms] of [
      ['1', 1000],
      ['0.0015', 1],
      ['0.57', 570],
      ['-1', -1000],
      ['1e9', 1e12],
      ['30s', 30_000],
      ['1h30m', 5_400_000],
      ['5ms', 5],
      ['1y2w3d', (365 + 14 + 3) * 86_400_000],
      ['0s', 0],
    ] as const) {
      expect(parseLengthMs(text, told), text).to.equal(ms);
    }
    for (const text of ['', 'x', 's', '1.5h', '1m1h', '1m1m', '-5m', '1h ', 'NaN', '1µs', '5m3']) {
      expect(() => parseLengthMs(text, told), text).to.throw(AppError, /to a valid duration$/);
    }
    for (const text of ['Inf', '-inf', '9223372037', '-9223372037', '1e400']) {
      expect(() => parseLengthMs(text, told), text).to.throw(AppError, /overflows int64$/);
    }
  });

  it('a limit is an integer, and 0 or none means no limit', () => {
    expect(['', '0', '7', '+7', '40000'].map((text) => parseLimit(text))).to.deep.equal([
      0, 0, 7, 7, 40_000,
    ]);
    expect(parseLimit()).to.equal(0);
    for (const text of ['x', '1.5', '-1', ' 1', '1e3', '99999999999999999999']) {
      expect(() => parseLimit(text), text).to.throw(AppError, /^invalid parameter "limit"/);
    }
  });

  it('a name is plain or escaped', () => {
    for (const [written, name] of [
      ['job', 'job'],
      ['host.name', 'host.name'],
      ['U__host_2e_name', 'host.name'],
      ['U__a__b', 'a_b'],
      ['U___1F600_', '😀'],
      ['U__', ''],
      // None of these is an escape.
      ['U__a_b', 'U__a_b'],
      ['U__a_2e', 'U__a_2e'],
      ['U___d800_', 'U___d800_'],
      ['U___110000_', 'U___110000_'],
      ['U__ä', 'U__ä'],
    ] as const) {
      expect(labelNameOf(written), written).to.equal(name);
    }
  });
});
