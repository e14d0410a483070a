import { assert } from 'chai';

import { DegradedLog } from '../../src/telemetry/degraded-log.js';

import type { LogFields, LogLevel } from '../../src/telemetry/log.js';

describe('the log of what is degraded', () => {
  let reasons: readonly string[] = [];
  const lines: string[] = [];
  const write = (level: LogLevel, message: string, fields: LogFields = {}): void => {
    lines.push(`${level} ${message} ${String(fields['reason'])}`);
  };
  const log = new DegradedLog({ write, takes: () => true }, () => reasons);
  const told = (...now: readonly string[]): readonly string[] => {
    reasons = now;
    log.look();
    return lines.splice(0);
  };
  after(() => {
    log.stop();
  });

  it('logs a reason once while it lasts, whatever its numbers', () => {
    assert.deepEqual(told(), []);
    assert.deepEqual(told('9 segments'), ['warn degraded 9 segments']);
    assert.deepEqual(told('10 segments', 'the clock jumped'), ['warn degraded the clock jumped']);
    assert.deepEqual(told('the clock jumped'), []);
  });

  it('logs each file separately, whatever else has numbers', () => {
    const damaged = (file: string, at: number): string =>
      `/data-7/segments/${file} at offset ${String(at)}: a bad checksum`;
    const first = damaged('0000000002.seg', 40);
    const second = damaged('0000000003.seg', 40);
    assert.deepEqual(told(first), [`warn degraded ${first}`]);
    assert.deepEqual(told(damaged('0000000002.seg', 80), second), [`warn degraded ${second}`]);
    const logs = ['wal/0000000011.wal is torn', 'wal/0000000012.wal is torn'];
    assert.lengthOf(told(...logs), 2);
  });

  it('logs it again when it returns', () => {
    assert.deepEqual(told(), []);
    assert.deepEqual(told('the clock jumped'), ['warn degraded the clock jumped']);
  });
});
