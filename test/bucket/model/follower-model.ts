/**
 * A follower of one series: whether it answers like the owner did at the same position.
 *
 * Modelled: values and deletions in the owner's log, groups that end at a rotation of the log,
 * flushes, publications, a take-over by a node without a directory, and a follower that applies
 * groups, adopts entries and jumps. A publication takes the state first and creates the entry
 * later. The value of a record is its sequence, so an answer names its record. The bounds are the
 * number of records, deletions, publications and take-overs; `follower.test.ts` sets them.
 *
 * Left out: seals (protocol-model.ts), merges, several series, and the bound of frozen memtables.
 * The trim only takes steps from the follower, and a follower may rest at each step anyway.
 */
import { type Model, type Step, type Violation } from './explore.js';

export type FollowerFault =
  /** A publication of a backlog lets the log go on behind its flushed sequence. */
  | 'catchUp'
  /** The owner creates an entry before `seen` is on the bucket. */
  | 'entryBeforeSeen'
  /** The follower adopts an entry at its floor. */
  | 'adoptBeforeSeen'
  /** The follower answers from a jump on, below `seen`. */
  | 'answerBeforeSeen'
  | 'adoptForgetsDeletion'
  | 'jumpKeepsMemtables';

export type FollowerViolation = 'hole in the log' | 'older answer' | 'newer answer';

export interface FollowerBounds {
  readonly records: number;
  readonly deletions: number;
  readonly publications: number;
  readonly takeOvers: number;
  readonly fault?: FollowerFault;
}

interface Group {
  readonly from: number;
  readonly to: number;
  /** The owner froze its memtable behind the group. */
  readonly isContinued: boolean;
}

/** What the segments of a state answer, and up to where. */
interface TakenState {
  readonly flushed: number;
  /** The last sequence whose deletions the state has. */
  readonly seen: number;
  /** 0: no value. */
  readonly value: number;
}

interface PublishedState extends TakenState {
  /** The index of the first group that is replayed behind the segments. */
  readonly floor: number;
}

interface Follower {
  /** The index of the next group. */
  readonly group: number;
  readonly position: number;
  /** The newest value in the active memtable, or 0. */
  readonly active: number;
  readonly frozen: readonly number[];
  /** The newest value in segments, or 0. */
  readonly segments: number;
  readonly flushed: number;
  /** The newest deletion that it applied. */
  readonly deletion: number;
  /** It gives no answer below this position. */
  readonly answersFrom: number;
}

export type FollowerState = {
  /** A letter a record: v is a value, d a deletion. */
  readonly log: string;
  readonly shipped: number;
  readonly flushed: number;
  /** The sequences at which the log was rotated. */
  readonly rotations: readonly number[];
  readonly groups: readonly Group[];
  readonly isChanged: boolean;
  readonly taken: TakenState | null;
  readonly entry: PublishedState | null;
  readonly follower: Follower;
  readonly hole: number | null;
  readonly publicationsLeft: number;
  readonly takeOversLeft: number;
};

type FollowerStep = Step<FollowerState>;

export function followerModel(bounds: FollowerBounds): Model<FollowerState, FollowerViolation> {
  const fault = bounds.fault ?? null;
  const start: FollowerState = {
    ...{ log: '', shipped: 0, flushed: 0, rotations: [], groups: [] },
    ...{ isChanged: false, taken: null, entry: null, hole: null },
    follower: {
      ...{ group: 0, position: 0, active: 0, frozen: [], segments: 0, flushed: 0 },
      ...{ deletion: 0, answersFrom: 0 },
    },
    publicationsLeft: bounds.publications,
    takeOversLeft: bounds.takeOvers,
  };
  const stepsOf = (state: FollowerState): FollowerStep[] => [
    ...appendSteps(state, bounds),
    ...shipSteps(state),
    ...flushSteps(state),
    ...publicationSteps(state, fault),
    ...takeOverSteps(state),
    ...applySteps(state),
    ...entrySteps(state, fault),
  ];
  return { start, stepsOf, violationOf, situations };
}

function appendSteps(state: FollowerState, bounds: FollowerBounds): FollowerStep[] {
  const { log } = state;
  if (log.length === bounds.records) return [];
  const steps: FollowerStep[] = [[`the owner appends ${log.length + 1}`, appended(state, 'v')]];
  if (log.split('d').length <= bounds.deletions) {
    steps.push([`the owner deletes at ${log.length + 1}`, appended(state, 'd')]);
  }
  return steps;
}

const appended = (state: FollowerState, record: 'v' | 'd'): FollowerState => ({
  ...state,
  log: state.log + record,
});

/** A group has records of one file of the log. */
function shipSteps(state: FollowerState): FollowerStep[] {
  const { log, shipped, rotations, groups } = state;
  if (shipped === log.length) return [];
  const from = shipped + 1;
  const to = rotations.find((sequence) => sequence >= from) ?? log.length;
  const group = { from, to, isContinued: rotations.includes(to) };
  const next = { ...state, shipped: to, groups: [...groups, group] };
  return [[`the owner ships ${from} to ${to}`, next]];
}

function flushSteps(state: FollowerState): FollowerStep[] {
  const { log, flushed, rotations, publicationsLeft } = state;
  if (flushed === log.length || publicationsLeft === 0) return [];
  const rotated = [...rotations, log.length];
  const next = { ...state, flushed: log.length, rotations: rotated, isChanged: true };
  return [[`the owner flushes up to ${log.length}`, next]];
}

function publicationSteps(state: FollowerState, fault: FollowerFault | null): FollowerStep[] {
  const { log, flushed, taken } = state;
  const steps: FollowerStep[] = [];
  if (state.isChanged && taken === null && state.publicationsLeft > 0) {
    const value = newestValue(log, { upTo: flushed, deletedUpTo: log.length });
    const now = { flushed, seen: log.length, value };
    const publicationsLeft = state.publicationsLeft - 1;
    const next = { ...state, isChanged: false, taken: now, publicationsLeft };
    steps.push([`the owner takes its state at ${log.length}`, next]);
  }
  const mayPublish = fault === 'entryBeforeSeen' || fault === 'catchUp';
  if (taken !== null && (mayPublish || state.shipped >= taken.seen)) {
    steps.push(['the owner publishes', published(state, taken, fault)]);
  }
  return steps;
}

function published(
  state: FollowerState,
  taken: TakenState,
  fault: FollowerFault | null,
): FollowerState {
  const { groups, shipped } = state;
  const at = groups.findIndex((group) => group.from === taken.flushed + 1);
  const floor = at < 0 ? groups.length : at;
  const next = { ...state, taken: null, entry: { ...taken, floor } };
  if (fault !== 'catchUp') return next;
  return { ...next, shipped: Math.max(shipped, taken.flushed) };
}

/** What the old owner did not ship is gone, but for what the segments of the entry have. */
function takeOverSteps(state: FollowerState): FollowerStep[] {
  if (state.takeOversLeft === 0) return [];
  const flushed = state.entry?.flushed ?? 0;
  const end = Math.max(state.shipped, flushed);
  const next: FollowerState = {
    ...state,
    log: state.log.slice(0, end),
    shipped: end,
    flushed,
    rotations: [...state.rotations.filter((sequence) => sequence < end), end],
    isChanged: false,
    taken: null,
    takeOversLeft: state.takeOversLeft - 1,
  };
  return [[`another node takes over behind ${end}`, next]];
}

function applySteps(state: FollowerState): FollowerStep[] {
  const { follower, groups, log } = state;
  const group = groups[follower.group];
  if (group === undefined) return [];
  const { from, to, isContinued } = group;
  const label = `the follower applies ${from} to ${to}`;
  if (from > follower.position + 1) return [[label, { ...state, hole: from }]];
  let next: Follower = { ...follower, group: follower.group + 1, position: to };
  for (let sequence = from; sequence <= to; sequence += 1) {
    next =
      log[sequence - 1] === 'v'
        ? { ...next, active: sequence }
        : { ...next, active: 0, frozen: [], segments: 0, deletion: sequence };
  }
  if (isContinued && next.active > 0) {
    next = { ...next, frozen: [...next.frozen, next.active], active: 0 };
  }
  return [[label, { ...state, follower: next }]];
}

function entrySteps(state: FollowerState, fault: FollowerFault | null): FollowerStep[] {
  const { entry, follower } = state;
  if (entry === null || entry.flushed <= follower.flushed) return [];
  const { flushed, seen, value, floor } = entry;
  if (floor > follower.group) {
    const isKept = fault === 'jumpKeepsMemtables';
    const jumped: Follower = {
      group: floor,
      position: flushed,
      active: isKept ? follower.active : 0,
      frozen: isKept ? follower.frozen : [],
      segments: value,
      flushed,
      deletion: 0,
      answersFrom: fault === 'answerBeforeSeen' ? 0 : seen,
    };
    return [[`the follower jumps to ${flushed}`, { ...state, follower: jumped }]];
  }
  if (follower.position < seen && fault !== 'adoptBeforeSeen') return [];
  const isErased = value < follower.deletion && fault !== 'adoptForgetsDeletion';
  const adopted: Follower = {
    ...follower,
    active: follower.active <= flushed ? 0 : follower.active,
    frozen: follower.frozen.filter((newest) => newest > flushed),
    segments: isErased ? 0 : value,
    flushed,
  };
  return [[`the follower adopts the segments up to ${flushed}`, { ...state, follower: adopted }]];
}

interface Extent {
  /** The last record whose value counts. */
  readonly upTo: number;
  /** The last record whose deletion counts. */
  readonly deletedUpTo: number;
}

/** The sequence of the newest value, or 0. */
function newestValue(log: string, { upTo, deletedUpTo }: Extent): number {
  if (upTo === 0) return 0;
  const erased = log.lastIndexOf('d', deletedUpTo - 1) + 1;
  const newest = log.lastIndexOf('v', upTo - 1) + 1;
  return newest > erased ? newest : 0;
}

function violationOf(state: FollowerState): Violation<FollowerViolation> | null {
  const { follower, log, hole } = state;
  if (hole !== null) return { kind: 'hole in the log', what: `before ${hole}` };
  const { position, active, frozen, segments } = follower;
  if (position < follower.answersFrom) return null;
  const expected = newestValue(log, { upTo: position, deletedUpTo: position });
  const newest = frozen.at(-1) ?? segments;
  const answer = active > 0 ? active : newest;
  if (answer === expected) return null;
  const what = `${answer} instead of ${expected} at position ${position}`;
  // A value that a later deletion erased is older than no value.
  const isOlder = expected === 0 ? answer <= position : answer > 0 && answer < expected;
  return { kind: isOlder ? 'older answer' : 'newer answer', what };
}

const situations = {
  'the follower jumps': (_: FollowerState, label: string) => label.startsWith('the follower jumps'),
  'the follower adopts': (_: FollowerState, label: string) =>
    label.startsWith('the follower adopts'),
  'a deletion lies between the flush and `seen`': ({ log, entry }: FollowerState) =>
    entry !== null && log.slice(entry.flushed, entry.seen).includes('d'),
  'a node takes over': (_: FollowerState, label: string) => label.startsWith('another node'),
};
