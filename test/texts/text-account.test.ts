/** Texts that queries make and hold: how long, and how many. */
import { expect } from 'chai';

import { utf8Size } from '../../src/common/model/names.js';
import { joinedTexts, kMadeTextMax } from '../../src/query/limits/made-text.js';
import { heldBytesOf, TextAccount, TextPool } from '../../src/query/limits/text-account.js';
import { Random, testSeed } from '../support/random.js';

const kMiB = 1024 * 1024;

describe('a string built by a query', () => {
  it('is limited in bytes, including its separators', () => {
    const half = 's'.repeat((kMadeTextMax - 1) / 2);
    expect(joinedTexts([half, half], '-')).to.have.length(kMadeTextMax);
    expect(() => joinedTexts([half, half], '--')).to.throw(/more than 16383 bytes/);
    expect(() => joinedTexts([half, `${half}--`])).to.throw(/more than 16383 bytes/);
    expect(joinedTexts([])).to.equal('');
  });

  it('is measured in UTF-8', () => {
    for (const text of [
      '',
      'a',
      'é',
      '€',
      '😀',
      'a😀é€',
      '\ud83d',
      '\ude00',
      '\ude00\ud83d',
      '\ud83da',
    ]) {
      expect(utf8Size(text), JSON.stringify(text)).to.equal(Buffer.byteLength(text));
    }
    const fits = 'é'.repeat((kMadeTextMax - 1) / 2);
    expect(joinedTexts([fits, 's'])).to.have.length(fits.length + 1);
    expect(() => joinedTexts([fits, 'é'])).to.throw(/more than 16383 bytes/);
  });
});

describe('the account of texts', () => {
  it('holds up to its limit, and accepts releases', () => {
    const account = new TextAccount(heldBytesOf('text') * 2);
    account.holdText('text');
    account.holdText('text');
    expect(() => {
      account.hold(1);
    }).to.throw(/raise memory_limit_bytes/);
    account.giveBackText('text');
    account.holdText('text');
  });

  it('of one query leaves others their first MiB', () => {
    const pool = new TextPool();
    const [first, second, third] = [1, 2, 3].map(() => new TextAccount(8 * kMiB, pool));
    first?.hold(8 * kMiB);
    second?.hold(8 * kMiB);
    third?.hold(3 * kMiB);
    expect(() => third?.hold(1)).to.throw(/all queries together hold more than/);
    const small = new TextAccount(8 * kMiB, pool);
    small.hold(kMiB);
    expect(() => {
      small.hold(1);
    }).to.throw(/all queries together/);
    second?.close();
    second?.close();
    small.hold(7 * kMiB);
  });

  it(`is empty when all have ended, seed ${testSeed}`, () => {
    const random = new Random(testSeed);
    const pool = new TextPool();
    const accounts = Array.from({ length: 20 }, () => new TextAccount(8 * kMiB, pool));
    const texts = [0, 10, 1000, 100_000].map((size) => 's'.repeat(size));
    const held = accounts.map((): string[] => []);
    const sums = accounts.map(() => 0);
    const sizes = new Map(texts.map((text) => [text, heldBytesOf(text)]));
    for (let round = 0; round < 2000; round++) {
      const at = random.below(accounts.length);
      const text = texts[random.below(texts.length)] ?? '';
      const own = held[at] ?? [];
      if (random.below(3) > 0) {
        try {
          accounts[at]?.holdText(text);
          own.push(text);
          sums[at] = (sums[at] ?? 0) + (sizes.get(text) ?? 0);
        } catch (error) {
          expect(String(error)).to.match(/bytes of texts/);
        }
      } else {
        const last = own.pop();
        if (last === undefined) continue;
        accounts[at]?.giveBackText(last);
        sums[at] = (sums[at] ?? 0) - (sizes.get(last) ?? 0);
      }
      expect(pool.held).to.equal(sums.reduce((sum, one) => sum + Math.max(0, one - kMiB), 0));
      expect(accounts[at]?.held).to.equal(sums[at]);
    }
    for (const account of accounts) account.close();
    expect(pool.held).to.equal(0);
  });
});
