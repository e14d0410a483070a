/**
 * Answers that wait for slow clients: the count of their bytes, and the choice of the connection to
 * cut.
 */
import { expect } from 'chai';

import { UnreadAnswer, UnreadAnswers } from '../../src/http/transport/unread-answers.js';

const kKiB = 1024;

describe('unread answers', () => {
  const cut: string[] = [];
  const told: [number, number][] = [];
  let all: UnreadAnswers;
  const answer = (name: string): UnreadAnswer =>
    new UnreadAnswer(all, () => {
      cut.push(name);
    });
  beforeEach(() => {
    cut.length = 0;
    told.length = 0;
    all = new UnreadAnswers((bytes, cutCount) => {
      told.push([bytes, cutCount]);
      return 300 * kKiB;
    });
  });

  it('cut the one that has waited longest, and never the newest', () => {
    const [first, second, third] = [answer('first'), answer('second'), answer('third')];
    first.hold(100 * kKiB);
    second.hold(150 * kKiB);
    expect(cut).to.deep.equal([]);
    third.hold(100 * kKiB);
    expect(cut).to.deep.equal(['first']);
    // Bytes that its socket releases later are already out of the sum.
    first.release(100 * kKiB);
    expect(all.bytes).to.equal(250 * kKiB);
    third.hold(1000 * kKiB);
    expect(cut).to.deep.equal(['first', 'second']);
    expect(all.bytes).to.equal(1100 * kKiB);
  });

  it('restart their wait after a read', () => {
    const [first, second] = [answer('first'), answer('second')];
    first.hold(100 * kKiB);
    second.hold(100 * kKiB);
    first.release(100 * kKiB);
    first.hold(100 * kKiB);
    answer('third').hold(150 * kKiB);
    expect(cut).to.deep.equal(['second']);
  });

  it('are reported per 64 KiB of growth, after a cut, and at the end', () => {
    const [one, other] = [answer('one'), answer('other')];
    one.hold(kKiB);
    one.release(kKiB);
    expect(told).to.deep.equal([]);
    one.hold(64 * kKiB);
    other.hold(300 * kKiB);
    other.release(300 * kKiB);
    expect(told).to.deep.equal([
      [64 * kKiB, 0],
      [364 * kKiB, 0],
      [300 * kKiB, 1],
      [0, 0],
    ]);
  });
});
