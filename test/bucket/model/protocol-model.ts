/**
 * The protocol of several nodes over one bucket: what an owner, a claimant and a follower do.
 *
 * Modelled: two nodes, the log of groups and seals, the spine of claims and publications, the trim,
 * the sweep, snapshots, crashes at each step, creates without an answer, creates and deletes that
 * land late, and a neighbour database in the same bucket. A stalled node takes no step. The budget
 * bounds how often each event happens; `protocol.test.ts` sets it. A group has one record.
 *
 * Left out: the local directory (directory-model.ts), `seen` and memtables (follower-model.ts),
 * parts of REFS, times, a stale LIST, and a 412 whose object is gone before the look.
 */
import { type Model, type Situation, type Violation } from './explore.js';
import { beginSteps, claimantSteps } from './protocol-claimant.js';
import { ownerSteps, wordOf } from './protocol-owner.js';
import { readerSteps, skipEnds } from './protocol-reader.js';
import {
  headOf,
  idle,
  isBelow,
  isSeal,
  isSealedAt,
  namesOf,
  placeKey,
  placeOf,
  spend,
  withNode,
  type BucketNode,
  type Budget,
  type DatabaseState,
  type Entry,
  type NodeName,
  type Owner,
  type Place,
  type ProtocolFault,
  type ProtocolState,
  type ProtocolStep,
} from './protocol-state.js';
import { land } from './protocol-store.js';

export type ProtocolViolation =
  | 'hole in the log'
  | 'acknowledged record lost'
  | 'object gone'
  | 'neighbour damaged'
  | 'reader ahead of the log'
  | 'reader lacks a record';

export interface ProtocolBounds extends Partial<Budget> {
  readonly hasReader?: boolean;
  /** The local state may be ahead of the entry, and a sweep may run beside a publication. */
  readonly isAhead?: boolean;
  readonly fault?: ProtocolFault;
}

const neighbourObject = 'db2/N0';

export function protocolModel(bounds: ProtocolBounds): Model<ProtocolState, ProtocolViolation> {
  const fault = bounds.fault ?? null;
  const isAhead = bounds.isAhead ?? false;
  const stepsOf = (state: ProtocolState): ProtocolStep[] => {
    const steps: ProtocolStep[] = [];
    const nodes: [NodeName, BucketNode][] = [
      ['A', state.nodeA],
      ['B', state.nodeB],
    ];
    for (const [name, node] of nodes) {
      const turn = { state, name, isAhead, fault };
      if (node.role === 'owner') steps.push(...ownerSteps({ ...turn, node }));
      else if (node.role === 'claimant') steps.push(...claimantSteps({ ...turn, node }));
      else steps.push(...beginSteps({ ...turn, node }));
      if (state.left.crashes > 0 && node.role !== 'idle') {
        const spent = spend(state, 'crashes');
        steps.push([`${name} crashes`, withNode(spent, name, idle)]);
      }
    }
    state.late.forEach((request, at) => {
      steps.push([`late: ${request.kind} ${wordOf(request)}`, land(state, at, fault)]);
    });
    if (state.reader !== null) steps.push(...readerSteps(state, state.reader, fault));
    return steps;
  };
  return { start: startOf(bounds), stepsOf, violationOf, situations };
}

function startOf(bounds: ProtocolBounds): ProtocolState {
  const floor: Place = [1, 1];
  const empty: DatabaseState = { records: [], objects: [], tagged: [], floor };
  const claim: Entry = { epoch: 1, state: empty, ends: [], nonce: 'A0' };
  const nodeA: Owner = {
    ...{ role: 'owner', epoch: 1, ends: [], next: 1, entry: 1, published: empty, local: null },
    ...{ unflushed: [], group: null, publication: null, sweep: null, tried: null, removals: [] },
  };
  const reader = { entry: 1, place: floor, records: [], applied: [] };
  return {
    log: {},
    spine: [claim],
    objects: [neighbourObject],
    late: [],
    acknowledged: [],
    names: 0,
    nodeA,
    nodeB: idle,
    reader: bounds.hasReader === true ? reader : null,
    left: {
      groups: bounds.groups ?? 0,
      flushes: bounds.flushes ?? 0,
      claims: bounds.claims ?? 0,
      unknowns: bounds.unknowns ?? 0,
      crashes: bounds.crashes ?? 0,
      sweeps: bounds.sweeps ?? 0,
      snapshots: bounds.snapshots ?? 0,
    },
  };
}

interface Recovery {
  /** The records of the head, and of the log from its floor on. */
  readonly found: readonly string[];
  readonly place: Place;
  readonly hasHole: boolean;
}

/** What a fresh node finds. */
function recover({ spine, log }: ProtocolState): Recovery {
  const { epoch, ends, state } = headOf(spine);
  const found = [...state.records];
  let place = skipEnds(state.floor, ends);
  for (;;) {
    const value = log[placeKey(place)];
    if (value === undefined || isSeal(value)) {
      return { found, place, hasHole: value === undefined && place[0] < epoch };
    }
    found.push(value);
    place = skipEnds([place[0], place[1] + 1], ends);
  }
}

function violationOf(state: ProtocolState): Violation<ProtocolViolation> | null {
  const recovery = recover(state);
  const { found, place, hasHole } = recovery;
  if (hasHole) return { kind: 'hole in the log', what: placeKey(place) };
  const lost = state.acknowledged.find((one) => !found.includes(one));
  if (lost !== undefined) return { kind: 'acknowledged record lost', what: lost };
  if (!state.objects.includes(neighbourObject)) {
    return { kind: 'neighbour damaged', what: neighbourObject };
  }
  const gone = namesOf(headOf(state.spine).state).find((one) => !state.objects.includes(one));
  if (gone !== undefined) return { kind: 'object gone', what: gone };
  return readerViolation(state, recovery);
}

function readerViolation(
  { reader, spine }: ProtocolState,
  { found, place }: Recovery,
): Violation<ProtocolViolation> | null {
  if (reader === null) return null;
  const seen = [...reader.records, ...reader.applied];
  const ahead = seen.find((one) => !found.includes(one));
  if (ahead !== undefined) return { kind: 'reader ahead of the log', what: ahead };
  const isLevel = reader.entry === spine.length && placeKey(reader.place) === placeKey(place);
  const missing = isLevel ? found.find((one) => !seen.includes(one)) : undefined;
  return missing === undefined ? null : { kind: 'reader lacks a record', what: missing };
}

/** A search that misses one of them proves nothing about the rules for it. */
const situations: Readonly<Record<string, Situation<ProtocolState>>> = {
  'a node took over': ({ spine }) => headOf(spine).epoch > 1,
  'an owner is fenced': (_, label) => label.endsWith('is fenced'),
  'an old owner has a group in flight behind a claim': ({ nodeA, spine }) =>
    nodeA.role === 'owner' && nodeA.group !== null && nodeA.epoch < headOf(spine).epoch,
  'a seal stands on a trimmed place': ({ log, spine }) => {
    const { state, ends } = headOf(spine);
    return Object.entries(log).some(([key, value]) => {
      const place = placeOf(key);
      return isSeal(value) && isBelow(place, state.floor) && !isSealedAt(ends, place);
    });
  },
  'the follower is below the floor': ({ reader, spine }) =>
    reader !== null && isBelow(reader.place, headOf(spine).state.floor),
  'a sweep lists garbage': ({ nodeA }) =>
    nodeA.role === 'owner' && nodeA.sweep !== null && nodeA.sweep.garbage.length > 0,
  'a sweep runs beside a publication': ({ nodeA }) =>
    nodeA.role === 'owner' && nodeA.sweep !== null && nodeA.publication?.isUploaded === true,
  'a snapshot alone names a segment': ({ spine }) => {
    const { tagged, objects } = headOf(spine).state;
    return tagged.some((object) => !objects.includes(object));
  },
};
