/**
 * Local directories beside the bucket: what a machine that starts may go on with.
 *
 * Modelled: two machines with a directory each; starts that compare, set aside, claim and fetch,
 * and die between any two steps; appends, groups, flushes, merges and publications; requests whose
 * process dies, and which land late or never; log files that go; copies of directories that become
 * the directory of either machine, also while the original runs; runs without the bucket. The
 * budget bounds how often each event happens; `directory.test.ts` sets it.
 *
 * Left out: the trim, whose proof is the protocol model; unsynced tails, as a bucket needs
 * `fsync = always`. A seal and the verdict are one step, because a group
 * cannot follow the seal, and an entry that follows makes the claim fail.
 */
import { claimantSteps, fetchSteps, startSteps } from './directory-start.js';
import {
  bucketLog,
  flushedOf,
  hasFault,
  isPrefix,
  isWhole,
  namesOf,
  newestOf,
  spend,
  startOf,
  viewOf,
  withMachine,
  type DirectoryBounds,
  type DirectoryState,
  type DirectoryStep,
  type DirectoryViolation,
  type Edit,
  type Files,
  type Machine,
  type Turn,
} from './directory-state.js';
import { ownerSteps } from './directory-owner.js';
import type { Model, Violation } from './explore.js';

export type { DirectoryBounds, DirectoryFault, DirectoryViolation } from './directory-state.js';

export function directoryModel(bounds: DirectoryBounds): Model<DirectoryState, DirectoryViolation> {
  const stepsOf = (state: DirectoryState): DirectoryStep[] => [
    ...machineSteps({ state, name: 'A', machine: state.machineA, bounds }),
    ...machineSteps({ state, name: 'B', machine: state.machineB, bounds }),
    ...lateSteps(state),
  ];
  return { start: startOf(bounds), stepsOf, violationOf, situations };
}

function machineSteps(turn: Turn): DirectoryStep[] {
  const { state, name, machine } = turn;
  const { directory, process } = machine;
  const steps = copySteps(turn);
  if (process === null) {
    const dead = { ...turn, machine: { directory, process } };
    return [...steps, ...startSteps(dead), ...restoreSteps(turn), ...soloSteps(turn)];
  }
  if (state.left.crashes > 0) {
    const dead = withMachine(turn, { process: null }, spend(state, 'crashes'));
    steps.push([`${name} crashes`, dead]);
  }
  if (process.kind === 'claimant') {
    return [...steps, ...claimantSteps({ ...turn, machine: { directory, process } })];
  }
  const owner = { ...turn, machine: { directory, process } };
  if (!process.isReady) return [...steps, ...fetchSteps(owner)];
  return [...steps, ...ownerSteps(owner), ...twinSteps(turn)];
}

/** A late request changes nothing where its key is taken. */
function lateSteps(state: DirectoryState): DirectoryStep[] {
  const steps: DirectoryStep[] = [];
  for (const request of state.late) {
    const late = state.late.filter((one) => one !== request);
    if ('entry' in request) {
      if (request.number !== state.spine.length + 1) continue;
      const spine = [...state.spine, request.entry];
      steps.push([`entry ${request.number} lands`, { ...state, late, spine }]);
    } else if (state.log[request.place] === undefined) {
      const log = { ...state.log, [request.place]: request.group };
      steps.push([`group ${request.place} lands`, { ...state, late, log }]);
    }
  }
  return steps;
}

function copySteps({ state, name, machine }: Turn): DirectoryStep[] {
  const { left, copy } = state;
  const { directory } = machine;
  const steps: DirectoryStep[] = [];
  if (left.copies > 0 && directory.bucket !== null) {
    const made = { ...spend(state, 'copies'), copy: { of: name, directory } };
    steps.push([`${name} is copied`, made]);
  }
  if (left.tears > 0 && copy?.of === name && copy.directory.bucket !== directory.bucket) {
    const torn = { of: name, directory: { ...copy.directory, bucket: directory.bucket } };
    steps.push([`${name}'s BUCKET is copied later`, { ...spend(state, 'tears'), copy: torn }]);
  }
  return steps;
}

/** The copy becomes the directory of a machine. What only its disk had is gone with it. */
function restoreSteps(turn: Turn): DirectoryStep[] {
  const { state, name, machine } = turn;
  if (state.left.restores === 0 || state.copy === null) return [];
  const { directory } = state.copy;
  const restored = withMachine(turn, { directory }, spend(state, 'restores'));
  const own = standing(machine.directory);
  const kept = state.kept.filter((one) => !own.has(one) || stands(restored, one));
  return [[`${name} has the copy`, { ...restored, kept }]];
}

/** The other machine becomes a clone of this one, memory included. */
function twinSteps(turn: Turn): DirectoryStep[] {
  const { state, name, machine } = turn;
  const [other, label] =
    name === 'A' ? [state.machineB, 'B is a twin of A'] : [state.machineA, 'A is a twin of B'];
  if (state.left.twins === 0 || other.process !== null) return [];
  const spent = spend(state, 'twins');
  return [
    [label, name === 'A' ? { ...spent, machineB: machine } : { ...spent, machineA: machine }],
  ];
}

/** A run without the bucket appends a record, flushes it, and removes its log. */
function soloSteps(turn: Turn): DirectoryStep[] {
  const { state, name, machine, bounds } = turn;
  const { directory } = machine;
  const { refs, wal, bucket } = directory;
  if (state.left.solos === 0 || (refs === null && wal === null)) return [];
  const isUnfinished = bucket !== null && !isWhole(bucket);
  if (isUnfinished && !hasFault(bounds, 'aloneUnfinished')) return [];
  const names = state.names + 1;
  const record = `${name}${names}`;
  const records = [...viewOf(directory), record];
  const edit = { name: `E${record}`, records };
  const after = {
    refs: [...(refs ?? []), edit],
    wal: { from: records.length, records: [] },
    bucket: hasFault(bounds, 'keepsBucket') ? bucket : null,
  };
  const isPart = refs === null || wal === null;
  const met = isPart ? ('part of a database runs' as const) : state.met;
  const kept = bounds.isLocal === true ? [...state.kept, record] : state.kept;
  const spent = { ...spend(state, 'solos'), names, kept, met };
  return [[`${name} runs without the bucket`, withMachine(turn, { directory: after }, spent)]];
}

const standing = ({ refs, wal }: Files): ReadonlySet<string> =>
  new Set([...flushedOf(refs), ...(wal?.records ?? [])]);

const isWholeView = (files: Files, record: string): boolean => viewOf(files).includes(record);

const stands = ({ machineA, machineB, quarantine, spine, log }: DirectoryState, record: string) =>
  [machineA.directory, machineB.directory, ...Object.values(quarantine)].some((files) =>
    standing(files).has(record),
  ) ||
  flushedOf(spine.at(-1)?.edits ?? null).includes(record) ||
  Object.values(log).some((group) => group !== 'seal' && group.records.includes(record));

function violationOf(state: DirectoryState): Violation<DirectoryViolation> | null {
  if (state.met !== null) return { kind: state.met, what: '' };
  const { edits, epoch } = newestOf(state);
  const { records, fault } = bucketLog(state, epoch);
  if (fault !== null) return { kind: fault, what: String(records) };
  const flushed = flushedOf(edits);
  if (!isPrefix(flushed, records)) {
    return { kind: 'entry is ahead of the log', what: String(flushed) };
  }
  const lost = state.acknowledged.find((name) => !records.includes(name));
  if (lost !== undefined) return { kind: 'acknowledged record lost', what: lost };
  return (
    ownerViolation(state, state.machineA) ??
    ownerViolation(state, state.machineB) ??
    keptViolation(state, records)
  );
}

/** An owner has all of the log up to its own last group, and all edits of the last known entry. */
function ownerViolation(
  state: DirectoryState,
  { directory, process }: Machine,
): Violation<DirectoryViolation> | null {
  if (process?.kind !== 'owner' || !process.isReady) return null;
  const { records } = bucketLog(state, process.epoch, process.next);
  if (!isPrefix(records, viewOf(directory))) {
    return { kind: 'owner lacks a record', what: String(records) };
  }
  const edits = namesOf(state.spine[process.entry - 1]?.edits as readonly Edit[]).slice(1);
  const own = namesOf(directory.refs);
  if (edits.every((one) => own.includes(one))) return null;
  return { kind: 'owner lacks an edit', what: String(edits) };
}

/** What the local log acknowledged is in the bucket, in a directory, or in one folder. */
function keptViolation(
  state: DirectoryState,
  onBucket: readonly string[],
): Violation<DirectoryViolation> | null {
  const { machineA, machineB, quarantine } = state;
  for (const record of state.kept) {
    if (onBucket.includes(record)) continue;
    if (!stands(state, record)) return { kind: 'local record lost', what: record };
    // While a directory is set aside, its database may be in two places.
    const isBusy = [machineA, machineB].some(({ directory }) => {
      const isHalf = (directory.refs === null) !== (directory.wal === null);
      return standing(directory).has(record) || isHalf;
    });
    if (isBusy) continue;
    const isThere = Object.values(quarantine).some((files) => isWholeFolder(files, record));
    if (!isThere) return { kind: 'set aside in pieces', what: record };
  }
  return null;
}

const isWholeFolder = (files: Files, record: string): boolean =>
  files.refs !== null && files.wal !== null && isWholeView(files, record);

const dead = (name: 'A' | 'B', { machineA, machineB }: DirectoryState): boolean =>
  (name === 'A' ? machineA : machineB).process === null;

const situations: Readonly<Record<string, (state: DirectoryState, label: string) => boolean>> = {
  'an owner goes on with a local tail': ({ machineA: { process, directory } }) =>
    process?.kind === 'owner' &&
    process.isReady &&
    process.epoch > 1 &&
    process.next === 1 &&
    viewOf(directory).filter((one) => !one.startsWith('mark')).length > process.shipped,
  'the bucket wins over a local tail': ({ machineA: { process, directory } }) =>
    process?.kind === 'claimant' && !process.continues && (directory.wal?.records.length ?? 0) > 0,
  'a claim is taken': (_, label) => label.includes('claim is taken'),
  'a claim lands late': ({ spine, machineA, machineB }, label) => {
    const last = spine.at(-1)?.nonce;
    const isHeld = machineA.process?.nonce === last || machineB.process?.nonce === last;
    return label.startsWith('entry') && !isHeld;
  },
  'a directory dies in the middle of the moves': (state) =>
    dead('A', state) &&
    state.machineA.directory.bucket?.stage === 'aside' &&
    state.machineA.directory.refs === null,
  'a directory dies in the middle of the fetch': (state) =>
    dead('B', state) &&
    state.machineB.directory.bucket?.stage === 'fetching' &&
    state.machineB.directory.refs !== null,
  'a first claim is taken': ({ spine }, label) =>
    label.includes('claim is taken, refused') && spine[0]?.nonce.startsWith('A') === true,
  'a copy runs beside its original': ({ machineA, machineB, copy }) =>
    machineA.process?.kind === 'owner' && machineB.process?.kind === 'owner' && copy !== null,
  'a claim floors at a publication': ({ spine, machineA }) =>
    flushedOf(spine.at(-1)?.edits ?? null).length > 0 && machineA.process?.kind === 'claimant',
};
