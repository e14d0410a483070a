/** A follower answers like the owner did at the same position, or a planted fault makes it lie. */
import {
  type FollowerBounds,
  type FollowerFault,
  type FollowerViolation,
  followerModel,
} from './follower-model.js';
import { assertCaught, assertHolds, isLarge, largeTimeoutMs } from './searches.js';

const bounds: FollowerBounds = { records: 3, deletions: 1, publications: 2, takeOvers: 1 };

interface Plant {
  readonly fault: FollowerFault;
  readonly title: string;
  readonly kind: FollowerViolation;
  readonly steps: readonly string[];
}

const plants: readonly Plant[] = [
  {
    fault: 'catchUp',
    title: 'the log goes on behind a publication that ran ahead',
    kind: 'hole in the log',
    steps: ['the owner publishes', 'the owner ships 2'],
  },
  {
    fault: 'entryBeforeSeen',
    title: 'the owner creates an entry before `seen` is on the bucket',
    kind: 'hole in the log',
    steps: ['the owner publishes', 'another node takes over'],
  },
  {
    fault: 'adoptBeforeSeen',
    title: 'the follower adopts an entry below `seen`',
    kind: 'newer answer',
    steps: ['the owner deletes', 'the follower adopts'],
  },
  {
    fault: 'answerBeforeSeen',
    title: 'the follower answers between a jump and `seen`',
    kind: 'newer answer',
    steps: ['the owner deletes', 'the follower jumps'],
  },
  {
    fault: 'adoptForgetsDeletion',
    title: 'adopted segments bring back what a later deletion took',
    kind: 'older answer',
    steps: ['the owner deletes', 'the follower adopts'],
  },
  {
    fault: 'jumpKeepsMemtables',
    title: 'a jump keeps the active memtable',
    kind: 'older answer',
    steps: ['the follower applies 1', 'the follower jumps'],
  },
];

const likeOwner = 'answers like the owner did at the same position';
const adoption = ['the follower jumps', 'the follower adopts'];
const deletion = 'a deletion lies between the flush and `seen`';

describe('a follower', () => {
  it(`${likeOwner} with two publications`, () => {
    const twice = followerModel({ ...bounds, takeOvers: 0 });
    assertHolds(twice, { states: 17_000, meets: [...adoption, deletion] });
  });

  it(`${likeOwner} with a take-over`, () => {
    const once = followerModel({ ...bounds, publications: 1 });
    assertHolds(once, { states: 22_000, meets: [...adoption, deletion, 'a node takes over'] });
  });

  if (isLarge) {
    it(`${likeOwner} with two publications and a take-over`, () => {
      assertHolds(followerModel(bounds), { states: 96_000 });
    }).timeout(largeTimeoutMs);

    it(`${likeOwner} of a longer log`, () => {
      const longer = { ...bounds, records: 4, takeOvers: 0 };
      assertHolds(followerModel(longer), { states: 177_000 });
    }).timeout(largeTimeoutMs);
  }

  for (const { fault, title, ...expected } of plants) {
    it(`goes wrong if ${title}`, () => {
      assertCaught(followerModel({ ...bounds, fault }), expected);
    });
  }
});
