/** A start goes on with its directory only if nothing that was acknowledged gets lost. */
import {
  type DirectoryBounds,
  type DirectoryFault,
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

const tails = ['an owner goes on with a local tail', 'the bucket wins over a local tail'];
const deaths = [
  'a directory dies in the middle of the moves',
  'a directory dies in the middle of the fetch',
];
const beside = 'a copy runs beside its original';

const crashes: DirectoryBounds = { appends: 2, claims: 2, crashes: 1, unknowns: 1 };
const inTurn: DirectoryBounds = { appends: 1, claims: 3, crashes: 1, isLocal: true };
const flushed: DirectoryBounds = { ...crashes, appends: 1, flushes: 1, isLocal: true };
const copied: DirectoryBounds = {
  ...{ appends: 1, claims: 2, crashes: 1, copies: 1, restores: 1 },
  isLocal: true,
};
const rewritten: DirectoryBounds = {
  ...{ tags: 1, replacements: 1, claims: 1, crashes: 1, copies: 1, restores: 1 },
  isCoarse: true,
};
const twin: DirectoryBounds = { appends: 2, flushes: 1, claims: 2, twins: 1 };
const alone: DirectoryBounds = { appends: 1, claims: 2, crashes: 2, solos: 1, isLocal: true };
const first: DirectoryBounds = {
  ...{ appends: 1, claims: 3, crashes: 2, unknowns: 1 },
  ...{ isFirst: true, isLocal: true },
};
const marked: DirectoryBounds = { ...crashes, appends: 1, hasMarks: true };
const coarse: DirectoryBounds = { ...crashes, claims: 3, crashes: 0, isCoarse: true };

const searches: readonly Search[] = [
  {
    title: 'crashes and a late request',
    bounds: { ...crashes, isLocal: true },
    states: 15_000,
    meets: [...tails, 'a claim is taken', 'a claim lands late', ...deaths],
  },
  {
    title: 'two machines that claim in turn',
    bounds: inTurn,
    states: 4_000,
    meets: [...tails, 'a claim is taken', ...deaths],
  },
  {
    title: 'flushes, publications and log files that go',
    bounds: flushed,
    states: 20_000,
    meets: [...tails, 'a claim lands late', ...deaths, 'a claim floors at a publication'],
  },
  {
    title: 'a copy that runs on either machine, beside its original',
    bounds: copied,
    states: 16_000,
    meets: [...tails, 'a claim is taken', ...deaths, beside],
  },
  {
    title: 'a copy of a directory that publishes edits and tags',
    bounds: { ...rewritten, edits: 1, replacements: 0 },
    states: 7_000,
    meets: [beside],
  },
  {
    title: 'a copy of a directory whose REFS is replaced',
    bounds: rewritten,
    states: 7_000,
    meets: [beside],
  },
  {
    title: 'a machine that is cloned while it runs',
    bounds: twin,
    states: 14_000,
    meets: [...tails, 'a claim is taken'],
  },
  {
    title: 'a run without the bucket',
    bounds: alone,
    states: 4_000,
    meets: [...tails, 'a claim is taken', ...deaths],
  },
  {
    title: 'first starts of a directory and its copy',
    bounds: first,
    states: 5_000,
    meets: ['a first claim is taken', 'a claim lands late'],
  },
  { title: 'marks in the log', bounds: marked, states: 6_000, meets: [...tails, ...deaths] },
  {
    title: 'a start that drops a mark that the bucket lacks',
    bounds: { ...marked, faults: ['reuseUnshipped'] },
    states: 5_000,
    meets: tails,
  },
];

const largeSearches: readonly Search[] = [
  {
    title: 'two crashes and a late request',
    bounds: { ...crashes, claims: 3, crashes: 2, isLocal: true },
    states: 400_000,
  },
  {
    title: 'flushes, and two crashes with a late request',
    bounds: { ...crashes, crashes: 2, flushes: 1 },
    states: 280_000,
  },
  {
    title: 'a copy and three claims',
    bounds: { ...copied, appends: 2, claims: 3 },
    states: 660_000,
  },
  {
    title: 'a copy, flushes and publications',
    bounds: { ...copied, appends: 2, flushes: 1, isCoarse: true },
    states: 560_000,
  },
  {
    title: 'a copy, edits and a late request',
    bounds: { ...copied, edits: 1, unknowns: 1, isCoarse: true },
    states: 500_000,
  },
  {
    title: 'a copy whose BUCKET is newer than its other files',
    bounds: { ...copied, appends: 2, tears: 1 },
    states: 170_000,
  },
  {
    title: 'a directory whose REFS is replaced, with edits and tags',
    bounds: { ...rewritten, edits: 1 },
    states: 88_000,
  },
  {
    title: 'a start that drops a mark that the bucket lacks, and two crashes',
    bounds: {
      ...marked,
      unknowns: 0,
      appends: 2,
      claims: 3,
      crashes: 2,
      faults: ['reuseUnshipped'],
    },
    states: 250_000,
  },
  {
    title: 'fresh nonces instead of a comparison of the bytes, if copies are of one moment',
    bounds: { ...copied, appends: 2, claims: 3, isCoarse: true, faults: ['noBytes', 'freshNonce'] },
    states: 570_000,
  },
  {
    title: 'a comparison of the bytes instead of nonces',
    bounds: { ...copied, appends: 2, claims: 3, isCoarse: true, faults: ['noNonce'] },
    states: 200_000,
  },
  {
    title: 'a comparison of the bytes, if the database is set aside behind the claim',
    bounds: { ...coarse, crashes: 1, isCoarse: false, faults: ['asideBehindClaim'] },
    states: 180_000,
  },
];

interface Plant {
  readonly faults: readonly DirectoryFault[];
  readonly title: string;
  readonly bounds: DirectoryBounds;
  readonly kind: DirectoryViolation;
  readonly steps?: readonly string[];
}

const plants: readonly Plant[] = [
  {
    faults: ['bucketBehindClaim'],
    title: 'BUCKET is written behind the claim',
    bounds: crashes,
    kind: 'own tail set aside',
    steps: ['A claims', 'and dies', 'lands', 'A starts, the bucket wins'],
  },
  {
    faults: ['verdictOnce'],
    title: 'a start keeps its verdict when its claim is taken',
    bounds: { ...crashes, unknowns: 0, isCoarse: true },
    kind: 'owner lacks a record',
    steps: ['A starts, continues', 'B owns', "A's claim is taken", 'A owns'],
  },
  {
    faults: ['asideBehindClaim', 'noBytes'],
    title: 'the database is set aside behind the claim, and the bytes are not compared',
    bounds: coarse,
    kind: 'owner lacks a record',
    steps: ['A starts, the bucket wins', 'A claims', 'and dies', 'lands', 'A starts, continues'],
  },
  {
    faults: ['shortList'],
    title: 'BUCKET drops the known nonce before the claim is known',
    bounds: { ...crashes, crashes: 2 },
    kind: 'own tail set aside',
    steps: ['A writes BUCKET', 'A crashes', 'A starts, the bucket wins'],
  },
  {
    faults: ['noNonce', 'noBytes'],
    title: 'neither nonces nor bytes are compared',
    bounds: { ...coarse, unknowns: 0 },
    kind: 'owner lacks a record',
    steps: ['A appends', 'B owns', 'B acknowledges', 'A starts, continues'],
  },
  {
    faults: ['noSequence'],
    title: 'the sequences are not compared, and the directory is a copy',
    bounds: copied,
    kind: 'owner lacks a record',
    steps: ['A is copied', 'A acknowledges', 'has the copy', 'continues'],
  },
  {
    faults: ['noRefs'],
    title: 'REFS is not compared, and only an edit was published since the copy',
    bounds: { ...copied, edits: 1 },
    kind: 'owner lacks an edit',
    steps: ['A is copied', 'A merges', 'A publishes', 'has the copy', 'continues'],
  },
  {
    faults: ['equalEdit'],
    title: 'the same edit is enough, and only a tag was published since the copy',
    bounds: rewritten,
    kind: 'owner lacks an edit',
    steps: ['A is copied', 'A tags', 'A publishes', 'has the copy', 'continues'],
  },
  {
    faults: ['noBytes'],
    title: 'the bytes are not compared, and a machine was cloned while it ran',
    bounds: twin,
    kind: 'owner lacks a record',
    steps: ['twin', 'A acknowledges', 'B is fenced', 'B starts, continues'],
  },
  {
    faults: ['movesFirst'],
    title: 'the moves begin before BUCKET says so, and a run without the bucket follows',
    bounds: alone,
    kind: 'part of a database runs',
    steps: ['A moves refs', 'A crashes', 'A runs without the bucket'],
  },
  {
    faults: ['movesFirst'],
    title: 'the moves begin before BUCKET says so, and another start ends them',
    bounds: { ...inTurn, crashes: 2 },
    kind: 'set aside in pieces',
    steps: ['A moves refs', 'A crashes', 'A moves wal'],
  },
  {
    faults: ['oneStage'],
    title: 'BUCKET does not tell the moves from the fetch, and all is moved',
    bounds: { ...inTurn, crashes: 2 },
    kind: 'set aside in pieces',
    steps: ['A moves refs', 'A crashes', 'A moves wal'],
  },
  {
    faults: ['oneStageDeletes'],
    title: 'BUCKET does not tell the moves from the fetch, and what stands is deleted',
    bounds: { ...inTurn, crashes: 2 },
    kind: 'local record lost',
    steps: ['A writes BUCKET, fetching', 'A crashes', 'A deletes'],
  },
  {
    faults: ['wholeEarly'],
    title: 'BUCKET says whole before the fetch ends, and a run without the bucket follows',
    bounds: alone,
    kind: 'part of a database runs',
    steps: ['fetches REFS', 'crashes', 'runs without the bucket'],
  },
  {
    faults: ['aloneUnfinished'],
    title: 'a run without the bucket takes a directory that is not whole',
    bounds: alone,
    kind: 'part of a database runs',
    steps: ['fetches REFS', 'crashes', 'runs without the bucket'],
  },
  {
    faults: ['firstWins'],
    title: 'a database that the bucket never had is set aside, as its first claim was taken',
    bounds: first,
    kind: 'own tail set aside',
    steps: ['B writes BUCKET, first', "B's claim is taken, the bucket wins"],
  },
  {
    faults: ['keepsBucket'],
    title: 'a run without the bucket leaves BUCKET in place',
    bounds: alone,
    kind: 'sequence is missing',
    steps: ['A runs without the bucket', 'A starts, continues'],
  },
  {
    faults: ['reuse'],
    title: 'a start drops a mark that was shipped, and reuses its sequence',
    bounds: marked,
    kind: 'owner lacks a record',
    steps: ['A ships', 'lands', 'A starts, continues', 'A owns'],
  },
  {
    faults: ['eagerRemoval'],
    title: 'a flush removes log files that are not shipped',
    bounds: flushed,
    kind: 'sequence is missing',
    steps: ['A appends', 'A flushes', 'A removes'],
  },
];

const largePlants: readonly Plant[] = [
  {
    faults: ['noBytes'],
    title: 'the bytes are not compared, and a start kept its nonce behind a claim that was taken',
    bounds: { ...copied, appends: 2, claims: 3, isCoarse: true },
    kind: 'owner lacks a record',
    steps: ['A starts, continues', 'A is copied', 'is taken, the bucket wins', 'A has the copy'],
  },
  {
    faults: ['noBytes', 'freshNonce'],
    title: 'the bytes are not compared, and the BUCKET of a copy is newer than its log',
    bounds: { ...copied, appends: 2, claims: 3, tears: 1, isCoarse: true, isLocal: false },
    kind: 'owner lacks a record',
    steps: ['A is copied', "A's BUCKET is copied later", 'A has the copy', 'A starts, continues'],
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
  for (const { faults, title, bounds, ...expected } of plants) {
    it(`goes wrong if ${title}`, () => {
      assertCaught(directoryModel({ ...bounds, faults }), expected);
    });
  }
  for (const { faults, title, bounds, ...expected } of isLarge ? largePlants : []) {
    it(`goes wrong if ${title}`, () => {
      assertCaught(directoryModel({ ...bounds, faults }), expected);
    }).timeout(largeTimeoutMs);
  }
});
