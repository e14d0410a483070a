/** State of the protocol model: one bucket, two nodes, a reader, and the requests under way. */
import { type Step } from './explore.js';

/** Where a group stands: the epoch and the number of the group in the log of that epoch. */
export type Place = readonly [epoch: number, number: number];

/** One state of the database, as a node has it and as an entry publishes it. */
export interface DatabaseState {
  /** The records that are in segments. */
  readonly records: readonly string[];
  /** The segments of the state itself. */
  readonly objects: readonly string[];
  /** The segments that a snapshot keeps. */
  readonly tagged: readonly string[];
  readonly floor: Place;
}

/** An entry of the spine: a claim if its epoch is new, else a publication. */
export interface Entry {
  readonly epoch: number;
  readonly state: DatabaseState;
  /** Where each sealed epoch ends. */
  readonly ends: readonly Place[];
  /** Makes the bytes of the entry unique. */
  readonly nonce: string;
}

export type Request =
  | { readonly kind: 'createGroup'; readonly place: string; readonly value: string }
  | { readonly kind: 'createEntry'; readonly number: number; readonly entry: Entry }
  | { readonly kind: 'deleteGroup'; readonly place: string }
  | { readonly kind: 'deleteEntry'; readonly number: number }
  | { readonly kind: 'deleteObject'; readonly object: string };

/** A group that the owner sent, and does not know of yet. */
export interface Group {
  readonly number: number;
  readonly record: string;
  readonly isRetry: boolean;
}

interface Publication {
  readonly nonce: string;
  readonly state: DatabaseState;
  readonly isUploaded: boolean;
}

/** A sweep that listed its garbage, and whose entry is not known yet. */
interface Sweep {
  readonly nonce: string;
  readonly garbage: readonly string[];
}

export interface Owner {
  readonly role: 'owner';
  readonly epoch: number;
  /** Where the sealed epochs end, for the entries to come. */
  readonly ends: readonly Place[];
  /** The number of the next group. */
  readonly next: number;
  /** The number of the newest entry, and the state that it publishes. */
  readonly entry: number;
  readonly published: DatabaseState;
  /** The local state, if it is ahead of both the newest entry and the publication. */
  readonly local: DatabaseState | null;
  /** Acknowledged records that no published segment holds. */
  readonly unflushed: readonly string[];
  readonly group: Group | null;
  readonly publication: Publication | null;
  readonly sweep: Sweep | null;
  /** The entry that was tried under the next number: no other may be tried there. */
  readonly tried: 'publication' | 'sweep' | null;
  readonly removals: readonly Request[];
}

export interface Claimant {
  readonly role: 'claimant';
  /** The number of the entry that it read, and the entry. */
  readonly entry: number;
  readonly head: Entry;
  readonly place: Place;
  readonly replayed: readonly string[];
  readonly end: Place | null;
  readonly nonce: string;
}

export type BucketNode = Owner | Claimant | { readonly role: 'idle' };
export const idle: BucketNode = { role: 'idle' };

export interface Reader {
  readonly entry: number;
  readonly place: Place;
  /** The records of the segments that it adopted, and those of the log behind them. */
  readonly records: readonly string[];
  readonly applied: readonly string[];
}

/** How often each event may still happen: the bounds of a search. */
export interface Budget {
  readonly groups: number;
  /** Flushes, each of which merges all segments into one. */
  readonly flushes: number;
  readonly claims: number;
  /** Requests whose answer is lost, and which may land late or never. */
  readonly unknowns: number;
  readonly crashes: number;
  readonly sweeps: number;
  readonly snapshots: number;
}

export type ProtocolState = {
  /** Groups and seals by their place. */
  readonly log: Readonly<Record<string, string>>;
  /** Null: the entry was deleted, which only a planted fault does. */
  readonly spine: readonly (Entry | null)[];
  readonly objects: readonly string[];
  readonly late: readonly Request[];
  readonly acknowledged: readonly string[];
  /** Source of names that are used once. */
  readonly names: number;
  readonly nodeA: BucketNode;
  readonly nodeB: BucketNode;
  readonly reader: Reader | null;
  readonly left: Budget;
};

/** The wrong rules that a search must expose. */
export type ProtocolFault =
  | 'trimSeals'
  | 'assumeMine'
  | 'claimFirst'
  | 'trimEarly'
  | 'trimSpine'
  | 'sweepBlind'
  | 'floorAhead'
  | 'pipeline'
  | 'ignoring'
  | 'otherBytes'
  | 'claimNext'
  | 'moveAtSeal'
  | 'trimForgetsTags'
  | 'sweepForgetsTags'
  | 'sweepForgetsHead'
  | 'sweepForgetsPending'
  | 'sweepNeighbour';

export type NodeName = 'A' | 'B';

/** What a node decides from when it takes a step. */
export interface Turn<Role extends BucketNode> {
  readonly state: ProtocolState;
  readonly name: NodeName;
  readonly node: Role;
  /** The local state may be ahead, and a sweep may run beside a publication. */
  readonly isAhead: boolean;
  readonly fault: ProtocolFault | null;
}

export type ProtocolStep = Step<ProtocolState>;

export const placeKey = ([epoch, number]: Place): string => `${epoch}/${number}`;
export function placeOf(key: string): Place {
  const [epoch = 0, number = 0] = key.split('/').map(Number);
  return [epoch, number];
}
export const isBelow = (one: Place, other: Place): boolean =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
export const isSeal = (value: string | undefined): boolean => value?.startsWith('S') ?? false;
export const isSealedAt = (ends: readonly Place[], place: Place): boolean =>
  ends.some((end) => end[0] === place[0] && end[1] === place[1]);

export const namesOf = (state: DatabaseState | null | undefined): readonly string[] => {
  if (state === null || state === undefined) return [];
  const { objects, tagged } = state;
  return tagged.length === 0 ? objects : [...new Set([...objects, ...tagged])];
};

/** The newest entry: no rule, planted or not, deletes it. */
export function headOf(spine: readonly (Entry | null)[]): Entry {
  const head = spine.at(-1);
  if (head === undefined || head === null) throw new Error('The spine has no head');
  return head;
}

export function withNode(state: ProtocolState, name: NodeName, node: BucketNode): ProtocolState {
  return name === 'A' ? { ...state, nodeA: node } : { ...state, nodeB: node };
}

export function spend(state: ProtocolState, event: keyof Budget): ProtocolState {
  return { ...state, left: { ...state.left, [event]: state.left[event] - 1 } };
}
