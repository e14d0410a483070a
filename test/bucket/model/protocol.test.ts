/** The protocol over one bucket holds in all interleavings, and each planted fault breaks it. */
import { type ProtocolBounds, type ProtocolViolation, protocolModel } from './protocol-model.js';
import { type ProtocolFault } from './protocol-state.js';
import { assertCaught, assertHolds, isLarge, largeTimeoutMs } from './searches.js';

interface Search {
  readonly title: string;
  readonly bounds: ProtocolBounds;
  readonly states: number;
  readonly meets?: readonly string[];
}

const takeOver = ['a node took over', 'a seal stands on a trimmed place', 'an owner is fenced'];

const searches: readonly Search[] = [
  {
    title: 'two claims and a lost answer',
    bounds: { groups: 2, flushes: 1, claims: 2, unknowns: 1 },
    states: 17_000,
    meets: [...takeOver, 'an old owner has a group in flight behind a claim'],
  },
  {
    title: 'two claims and a crash',
    bounds: { groups: 2, flushes: 1, claims: 2, crashes: 1 },
    states: 12_000,
    meets: takeOver,
  },
  {
    title: 'two claims, a lost answer and a crash',
    bounds: { groups: 1, flushes: 1, claims: 2, unknowns: 1, crashes: 1 },
    states: 18_000,
    meets: takeOver,
  },
  {
    title: 'two flushes and a lost answer',
    bounds: { groups: 2, flushes: 2, claims: 1, unknowns: 1 },
    states: 21_000,
    meets: takeOver,
  },
  {
    title: 'a follower and a lost answer',
    bounds: { groups: 2, flushes: 1, claims: 1, unknowns: 1, hasReader: true },
    states: 22_000,
    meets: [...takeOver, 'the follower is below the floor'],
  },
  {
    title: 'a follower and two claims',
    bounds: { groups: 2, flushes: 1, claims: 2, hasReader: true },
    states: 6_000,
    meets: [...takeOver, 'the follower is below the floor'],
  },
  {
    title: 'a sweep and a lost answer',
    bounds: { groups: 1, flushes: 1, claims: 1, unknowns: 1, sweeps: 1 },
    states: 11_000,
    meets: [...takeOver, 'a sweep lists garbage'],
  },
  {
    title: 'a sweep beside a publication, with a local state that is ahead',
    bounds: { groups: 1, flushes: 2, sweeps: 1, unknowns: 1, isAhead: true },
    states: 2_700,
    meets: ['a sweep lists garbage', 'a sweep runs beside a publication'],
  },
  {
    title: 'a snapshot and a sweep',
    bounds: { groups: 1, flushes: 2, snapshots: 1, sweeps: 1, isAhead: true },
    states: 3_000,
    meets: ['a snapshot alone names a segment', 'a sweep runs beside a publication'],
  },
  {
    title: 'a snapshot and a claim',
    bounds: { groups: 1, flushes: 2, claims: 1, snapshots: 1, isAhead: true },
    states: 7_000,
    meets: [...takeOver, 'a snapshot alone names a segment'],
  },
  {
    title: 'a snapshot, a sweep and a claim',
    bounds: { groups: 1, flushes: 1, claims: 1, snapshots: 1, sweeps: 1, isAhead: true },
    states: 12_000,
    meets: [...takeOver, 'a sweep lists garbage'],
  },
];

const largeSearches: readonly Search[] = [
  {
    title: 'two claims, two groups, a lost answer and a crash',
    bounds: { groups: 2, flushes: 1, claims: 2, unknowns: 1, crashes: 1 },
    states: 163_000,
  },
  {
    title: 'two lost answers and a crash',
    bounds: { groups: 2, flushes: 1, claims: 1, unknowns: 2, crashes: 1 },
    states: 86_000,
  },
  {
    title: 'two flushes, a sweep and a claim',
    bounds: { groups: 1, flushes: 2, claims: 1, sweeps: 1, isAhead: true },
    states: 29_000,
  },
  {
    title: 'a snapshot that is made and deleted, and a sweep',
    bounds: { groups: 1, flushes: 2, snapshots: 2, sweeps: 1, isAhead: true },
    states: 24_000,
  },
  {
    title: 'a snapshot, a sweep and a lost answer',
    bounds: { groups: 1, flushes: 2, snapshots: 1, sweeps: 1, unknowns: 1, isAhead: true },
    states: 23_000,
  },
  {
    title: 'two flushes, a snapshot, a sweep and a claim',
    bounds: { groups: 1, flushes: 2, claims: 1, snapshots: 1, sweeps: 1, isAhead: true },
    states: 250_000,
  },
];

interface Plant {
  readonly fault: ProtocolFault;
  readonly title: string;
  readonly bounds: ProtocolBounds;
  readonly kind: ProtocolViolation;
  readonly steps?: readonly string[];
}

const small: ProtocolBounds = { groups: 2, flushes: 1, claims: 1, unknowns: 1 };
const ahead: ProtocolBounds = { groups: 1, flushes: 2, sweeps: 1, isAhead: true };

const plants: readonly Plant[] = [
  {
    fault: 'trimSeals',
    title: 'a trim takes seals, too',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'assumeMine',
    title: 'a node takes a 412 of a retry for its own write, without a look',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'claimFirst',
    title: 'a node claims before it seals',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'trimEarly',
    title: 'an owner trims the log before it knows of the entry',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'trimSpine',
    title: 'an owner deletes old entries of the spine',
    bounds: { groups: 2, flushes: 1, claims: 2, crashes: 1 },
    kind: 'acknowledged record lost',
    steps: ['removes entry 2'],
  },
  {
    fault: 'sweepBlind',
    title: 'a sweep deletes what it listed, without an entry of its own',
    bounds: { groups: 1, flushes: 1, claims: 1, sweeps: 1 },
    kind: 'object gone',
  },
  {
    fault: 'floorAhead',
    title: 'the floor is that of the upload instead of the freeze',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'pipeline',
    title: 'an owner sends a group before it knows of the one before',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'ignoring',
    title: 'the store ignores If-None-Match',
    bounds: { groups: 2, flushes: 1, claims: 1 },
    kind: 'acknowledged record lost',
  },
  {
    fault: 'otherBytes',
    title: 'an owner tries other bytes at a number with an open attempt',
    bounds: small,
    kind: 'acknowledged record lost',
  },
  {
    fault: 'claimNext',
    title: 'a node whose seal stands on a trimmed place claims the next entry',
    bounds: { groups: 2, flushes: 1, claims: 1 },
    kind: 'acknowledged record lost',
    steps: ['A removes 1/1', 'B finds 1/1 sealed', 'B tries the next entry'],
  },
  {
    fault: 'moveAtSeal',
    title: 'a follower leaves an epoch at a seal that no entry names',
    bounds: { groups: 2, flushes: 1, claims: 2, hasReader: true },
    kind: 'reader lacks a record',
  },
  {
    fault: 'sweepNeighbour',
    title: 'a sweep lists the prefix of a neighbour database',
    bounds: { groups: 1, sweeps: 1 },
    kind: 'neighbour damaged',
  },
  {
    fault: 'sweepForgetsHead',
    title: 'a sweep spares the local state instead of the newest entry',
    bounds: ahead,
    kind: 'object gone',
  },
  {
    fault: 'sweepForgetsPending',
    title: 'a sweep forgets the uploads of a publication',
    bounds: ahead,
    kind: 'object gone',
  },
  {
    fault: 'sweepForgetsTags',
    title: 'a sweep forgets the segments that a snapshot keeps',
    bounds: { ...ahead, snapshots: 1 },
    kind: 'object gone',
    steps: ['makes a snapshot', 'of a sweep'],
  },
  {
    fault: 'trimForgetsTags',
    title: 'a trim forgets the segments that a snapshot keeps',
    bounds: { ...ahead, sweeps: 0, snapshots: 1 },
    kind: 'object gone',
    steps: ['makes a snapshot', 'of a publication'],
  },
];

describe('the protocol over one bucket', () => {
  for (const { title, bounds, ...coverage } of searches) {
    it(`loses nothing with ${title}`, () => {
      assertHolds(protocolModel(bounds), coverage);
    });
  }
  for (const { title, bounds, ...coverage } of isLarge ? largeSearches : []) {
    it(`loses nothing with ${title}`, () => {
      assertHolds(protocolModel(bounds), coverage);
    }).timeout(largeTimeoutMs);
  }
  for (const { fault, title, bounds, ...expected } of plants) {
    it(`is broken if ${title}`, () => {
      assertCaught(protocolModel({ ...bounds, fault }), expected);
    });
  }
});
