/** Entries of a name expire in time, even if only that name is requested. */

import { expect } from 'chai';

import { KeptMap } from '../../src/operations/names/kept-map.js';

describe('the expiring map', () => {
  let now = 1_000_000;
  const newMap = (): KeptMap<number> => new KeptMap({ sizeMax: 3, ms: 100 }, () => now);

  it('returns an entry until it expires, however often it is read', () => {
    const map = newMap();
    map.set('a', 1);
    for (let passed = 0; passed <= 100; passed += 10) {
      expect(map.get('a'), String(passed)).to.equal(1);
      now += 10;
    }
    expect(map.get('a')).to.equal(undefined);
    map.set('b', 2);
    expect([map.get('a'), map.get('b')]).to.deep.equal([undefined, 2]);
  });

  it('expires an entry in time although a later one was added', () => {
    const map = newMap();
    map.set('a', 1);
    now += 90;
    map.set('b', 2);
    now += 20;
    expect([map.get('a'), map.get('b')]).to.deep.equal([undefined, undefined]);
  });

  it('evicts entries past its capacity', () => {
    const map = newMap();
    for (const [value, name] of ['a', 'b', 'c', 'd'].entries()) map.set(name, value);
    expect(['a', 'b', 'c', 'd'].map((name) => map.get(name))).to.deep.equal([
      ...[undefined, undefined, undefined],
      3,
    ]);
  });
});
