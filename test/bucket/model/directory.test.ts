/** A start goes on with its directory only if nothing that was acknowledged gets lost. */
import {
  type DirectoryBounds,
  type DirectoryRule,
  type DirectoryViolation,
  directoryModel,
} from './directory-model.js';
import { assertCaught, assertHolds, isLarge, largeTimeoutMs } from './searches.js';

interface Search {
  readonly title: string;
  readonly bounds: DirectoryBounds;
  readonly states: number;
  readonly meets?: readonly string[];
}

const starts = ['an owner goes on with a local tail', 'another node claimed behind a local tail'];

const searches: readonly Search[] = [
  {
    title: 'crashes and a lost answer',
    bounds: { appends: 2, claims: 3, crashes: 2, unknowns: 1 },
    states: 9_000,
    meets: starts,
  },
  {
    title: 'a log that loses its unsynced tail',
    bounds: { appends: 2, claims: 3, crashes: 2, unknowns: 1, isUnsynced: true },
    states: 7_000,
    meets: starts,
  },
  {
    title: 'starts that die before and behind their claims',
    bounds: { appends: 1, claims: 4, crashes: 4 },
    states: 12_000,
    meets: starts,
  },
  {
    title: 'flushes that the bucket does not know',
    bounds: { appends: 2, flushes: 1, claims: 2, crashes: 2 },
    states: 5_000,
    meets: starts,
  },
  {
    title: 'a directory that is rolled back to a copy',
    bounds: { appends: 2, claims: 2, crashes: 1, unknowns: 1, rollbacks: 1 },
    states: 16_000,
    meets: [...starts, 'a copy without the newest claim is put back'],
  },
];

const largeSearches: readonly Search[] = [
  {
    title: 'three appends, crashes and a lost answer',
    bounds: { appends: 3, claims: 3, crashes: 2, unknowns: 1 },
    states: 53_000,
  },
  {
    title: 'starts that die, and flushes that the bucket does not know',
    bounds: { appends: 2, flushes: 1, claims: 3, crashes: 3 },
    states: 15_000,
  },
  {
    title: 'a directory that is rolled back to a copy between two crashes',
    bounds: { appends: 2, claims: 3, crashes: 2, unknowns: 1, rollbacks: 1 },
    states: 100_000,
  },
];

interface Plant {
  readonly rule: DirectoryRule;
  readonly title: string;
  readonly bounds: DirectoryBounds;
  readonly kind: DirectoryViolation;
  readonly steps?: readonly string[];
}

const plain: DirectoryBounds = { appends: 2, claims: 3, crashes: 2, unknowns: 1 };
const unsynced: DirectoryBounds = { ...plain, isUnsynced: true };
const copied: DirectoryBounds = {
  ...{ appends: 2, claims: 2, crashes: 1, rollbacks: 1 },
  isCopyOnly: true,
};

const plants: readonly Plant[] = [
  {
    rule: 'onChain',
    title: 'a start asks only whether its entry and group are on the chains',
    bounds: plain,
    kind: 'acknowledged record unseen',
    steps: ['B starts', 'B acknowledges', 'A starts'],
  },
  {
    rule: 'nonceBehindClaim',
    title: 'BUCKET is written behind the claim',
    bounds: plain,
    kind: 'own tail set aside',
    steps: ['A starts, dies behind its claim', 'A starts'],
  },
  {
    rule: 'nonceAlone',
    title: 'a start does not compare the logs, and a start before it died behind its claim',
    bounds: plain,
    kind: 'acknowledged record unseen',
    steps: ['B starts, dies behind its claim', 'B starts'],
  },
  {
    rule: 'onChain',
    title: 'the log is synced by interval, and a start asks for its entry and group',
    bounds: unsynced,
    kind: 'acknowledged record unseen',
    steps: ['A acknowledges', 'A crashes', 'A starts'],
  },
  {
    rule: 'nonceAlone',
    title: 'the log is synced by interval, and a start does not compare the logs',
    bounds: unsynced,
    kind: 'acknowledged record unseen',
    steps: ['A acknowledges', 'A crashes', 'A starts'],
  },
  {
    rule: 'nonceAlone',
    title: 'a start does not compare the logs, and its directory is a copy',
    bounds: copied,
    kind: 'acknowledged record unseen',
    steps: ['A: a copy is made', 'A: the copy is put back', 'A starts'],
  },
  {
    rule: 'onChain',
    title: 'a start ignores the claim of another node, and its directory is a copy',
    bounds: { ...copied, isBehindOther: true },
    kind: 'acknowledged record unseen',
    steps: ['A: a copy is made', 'B starts', 'A: the copy is put back', 'A starts'],
  },
  {
    rule: 'lastNonce',
    title: 'BUCKET forgets the known nonce at the next try',
    bounds: plain,
    kind: 'own tail set aside',
    steps: ['A starts, dies before its claim', 'A starts'],
  },
  {
    rule: 'lastTwoNonces',
    title: 'BUCKET keeps only the last two nonces that were tried',
    bounds: { appends: 1, claims: 4, crashes: 4 },
    kind: 'own tail set aside',
    steps: ['behind its claim', 'before its claim', 'before its claim', 'A starts'],
  },
  {
    rule: 'earlyVerdict',
    title: 'a start keeps its verdict when its claim fails',
    bounds: plain,
    kind: 'acknowledged record unseen',
    steps: ['A compares', 'B starts', 'A starts'],
  },
  {
    rule: 'staleManifest',
    title: 'MANIFEST stays in place when the bucket wins',
    bounds: { appends: 2, flushes: 1, claims: 2, crashes: 2 },
    kind: 'acknowledged record unseen',
    steps: ['A flushes', 'B starts', 'A starts'],
  },
];

describe('a start with a directory beside the bucket', () => {
  for (const { title, bounds, ...coverage } of searches) {
    it(`loses nothing with ${title}`, () => {
      assertHolds(directoryModel(bounds), coverage);
    });
  }
  for (const { title, bounds, ...coverage } of isLarge ? largeSearches : []) {
    it(`loses nothing with ${title}`, () => {
      assertHolds(directoryModel(bounds), coverage);
    }).timeout(largeTimeoutMs);
  }
  for (const { rule, title, bounds, ...expected } of plants) {
    it(`goes wrong if ${title}`, () => {
      assertCaught(directoryModel({ ...bounds, rule }), expected);
    });
  }
});
