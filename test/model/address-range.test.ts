import { expect } from 'chai';

import { createAddressCheck, parseAddressRange } from '../../src/common/model/address-range.js';
import { parseDurationMs, printDuration } from '../../src/common/model/duration.js';

function check(...texts: string[]): (address: string) => boolean {
  return createAddressCheck(texts.map(parseAddressRange).filter((range) => range !== null));
}

describe('an address range', () => {
  it('holds what its leading bits say, host bits or not', () => {
    for (const isInside of [check('10.1.0.0/16'), check('10.1.200.7/16')]) {
      expect(isInside('10.1.255.255')).to.equal(true);
      expect(isInside('10.2.0.0')).to.equal(false);
      expect(isInside('10.0.255.255')).to.equal(false);
    }
    expect(check('0.0.0.0/0')('203.0.113.9')).to.equal(true);
    expect(check('0.0.0.0/0')('::1')).to.equal(false);
    expect(check('fe80::/10')('fe80::1%eth0')).to.equal(true);
    expect(check('2001:db8::/33')('2001:db8:8000::')).to.equal(false);
  });

  it('sees an IPv4 address through its IPv6 form, on both sides', () => {
    expect(check('10.0.0.0/8')('::ffff:10.9.9.9')).to.equal(true);
    expect(check('10.0.0.0/8')('::ffff:11.0.0.0')).to.equal(false);
    expect(check('::ffff:10.0.0.0/104')('10.9.9.9')).to.equal(true);
    expect(check('::ffff:10.0.0.0/104')('11.0.0.0')).to.equal(false);
  });

  it('is nothing else than an address with at most as many bits as it has', () => {
    const bad = [
      '',
      'a',
      '10.0.0',
      '10.0.0.256',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/',
      '1.2.3.4/-1',
    ];
    for (const text of [...bad, '10.0.0.0/8/8', '::ffff:10.0.0.0/64', 'localhost', '01.2.3.4']) {
      expect(parseAddressRange(text), text).to.equal(null);
    }
    for (const address of ['', 'unix', '10.0.0']) {
      expect(check('0.0.0.0/0', '::/0')(address), address).to.equal(false);
    }
  });
});

describe('a duration', () => {
  it('is printed so that it reads back', () => {
    for (const ms of [1, 999, 1000, 61_000, 5_400_000, 86_400_000, 90_061_001]) {
      expect(parseDurationMs(printDuration(ms)), String(ms)).to.equal(ms);
    }
    expect(printDuration(5_400_000)).to.equal('90m');
  });
});
