/** The states of the directory model: two machines with a directory each, the spine, the log. */
import type { Step } from './explore.js';

/** What a rule leaves out or does wrong. Without a fault, the rule is the right one. */
export type DirectoryFault =
  /** BUCKET gets the nonce behind the claim. */
  | 'bucketBehindClaim'
  /** A claim that is taken does not make the verdict anew. */
  | 'verdictOnce'
  /** The database is set aside behind the claim. */
  | 'asideBehindClaim'
  /** BUCKET drops the older nonces before the claim is known. */
  | 'shortList'
  | 'noNonce'
  | 'noSequence'
  | 'noRefs'
  | 'noBytes'
  /** The moves begin before BUCKET says so. */
  | 'movesFirst'
  /** BUCKET has `fetching` for both stages; what stands in place then moves to a new folder. */
  | 'oneStage'
  /** The same, but what stands in place then is deleted. */
  | 'oneStageDeletes'
  /** BUCKET gets `whole` before the fetch ends. */
  | 'wholeEarly'
  /** A start drops the last mark of the log, and reuses its sequence. */
  | 'reuse'
  /** The same, unless the bucket has the mark. */
  | 'reuseUnshipped'
  /** A flush removes log files that are not shipped. */
  | 'eagerRemoval'
  /** After a claim that was taken, the process draws a new nonce. No fault, but not needed. */
  | 'freshNonce'
  /** A REFS that was replaced may have the same edit as the entry. */
  | 'equalEdit'
  /** A directory whose first claim is taken counts as one that the bucket knows. */
  | 'firstWins'
  /** A run without the bucket leaves BUCKET in place. */
  | 'keepsBucket'
  /** A directory that is not whole may run without the bucket. */
  | 'aloneUnfinished';

interface DirectoryBudget {
  readonly appends: number;
  readonly flushes: number;
  /** Edits without records: merges. */
  readonly edits: number;
  /** Moves of REFS without an edit: tags. */
  readonly tags: number;
  /** REFS that is replaced by a shorter one. */
  readonly replacements: number;
  /** Starts with the bucket. */
  readonly claims: number;
  readonly crashes: number;
  /** Requests without an answer: their process dies, they land later or never. */
  readonly unknowns: number;
  /** Copies of a directory that are made. */
  readonly copies: number;
  /** Copies that become the directory of a machine. */
  readonly restores: number;
  /** Copies whose BUCKET is newer than their other files. */
  readonly tears: number;
  /** Machines that are cloned while their process runs, memory included. */
  readonly twins: number;
  /** Runs without the bucket. */
  readonly solos: number;
}

export interface DirectoryBounds extends Partial<DirectoryBudget> {
  readonly faults?: readonly DirectoryFault[];
  /** The spine is empty. Both machines have the database, B with a record more. */
  readonly isFirst?: boolean;
  /** The local log acknowledges, not the bucket. */
  readonly isLocal?: boolean;
  /** Moves are one step, and so is the fetch. */
  readonly isCoarse?: boolean;
  /** A start appends a mark to its log. */
  readonly hasMarks?: boolean;
}

export type DirectoryViolation =
  | 'sequence is missing'
  | 'sequence is there twice'
  | 'entry is ahead of the log'
  | 'acknowledged record lost'
  | 'owner lacks a record'
  | 'owner lacks an edit'
  | 'local record lost'
  | 'set aside in pieces'
  | 'part of a database runs'
  | 'own tail set aside';

/**
 * A move in REFS, with all records that its segments have. The name begins with E for an edit and
 * with T for a tag. The first one, with F, stands for the bytes of the file.
 */
export interface Edit {
  readonly name: string;
  readonly records: readonly string[];
}

/** The local log. The place of a record in the whole log is its sequence. */
export interface LocalLog {
  /** The last sequence before the records that still stand. */
  readonly from: number;
  readonly records: readonly string[];
}

/** The file BUCKET. */
export interface BucketFile {
  /** `first`: whole, and no claim is known as ours yet. */
  readonly stage: 'first' | 'whole' | 'aside' | 'fetching';
  /** The nonce of the last claim that is known as ours, then those tried since. */
  readonly nonces: readonly string[];
}

/** Null: not there. */
export interface Files {
  readonly refs: readonly Edit[] | null;
  readonly wal: LocalLog | null;
}

export interface Directory extends Files {
  readonly bucket: BucketFile | null;
}

export interface Claimant {
  readonly kind: 'claimant';
  readonly nonce: string;
  /** The number of the claim in the spine. */
  readonly number: number;
  readonly continues: boolean;
}

export interface Owner {
  readonly kind: 'owner';
  readonly nonce: string;
  readonly epoch: number;
  /** The number of the next group. */
  readonly next: number;
  /** The last sequence that is known to be in the bucket. */
  readonly shipped: number;
  /** The number of the last known entry. */
  readonly entry: number;
  readonly claim: number;
  readonly isReady: boolean;
}

export interface Machine<Process = Claimant | Owner | null> {
  readonly directory: Directory;
  readonly process: Process;
}

export interface Entry {
  readonly nonce: string;
  readonly epoch: number;
  readonly edits: readonly Edit[];
}

export interface Group {
  readonly first: number;
  readonly records: readonly string[];
}

export type Request =
  | { readonly number: number; readonly entry: Entry }
  | { readonly place: string; readonly group: Group };

interface Copy {
  readonly of: 'A' | 'B';
  readonly directory: Directory;
}

export type DirectoryState = {
  readonly log: Readonly<Record<string, Group | 'seal'>>;
  readonly spine: readonly Entry[];
  /** Requests of dead processes that may still land. */
  readonly late: readonly Request[];
  /** Records that were acknowledged as in the bucket. */
  readonly acknowledged: readonly string[];
  /** Records that the local log acknowledged, and whose disk was not replaced since. */
  readonly kept: readonly string[];
  readonly quarantine: Readonly<Record<string, Files>>;
  readonly copy: Copy | null;
  readonly names: number;
  readonly machineA: Machine;
  readonly machineB: Machine;
  /** A violation that a step met. */
  readonly met: DirectoryViolation | null;
  readonly left: DirectoryBudget;
};

export type DirectoryStep = Step<DirectoryState>;

export interface Turn<Process = Claimant | Owner | null> {
  readonly state: DirectoryState;
  readonly name: 'A' | 'B';
  readonly machine: Machine<Process>;
  readonly bounds: DirectoryBounds;
}

const firstRefs: readonly Edit[] = ['F0', 'E0'].map((name) => ({ name, records: [] }));

type Machines = Pick<DirectoryState, 'machineA' | 'machineB'>;

function firstOwner(): Machines {
  const place = { epoch: 1, next: 1, shipped: 0, entry: 1, claim: 1 };
  const bucket: BucketFile = { stage: 'whole', nonces: ['A0'] };
  const directory = { refs: firstRefs, wal: { from: 0, records: [] }, bucket };
  return {
    machineA: { directory, process: { kind: 'owner', nonce: 'A0', ...place, isReady: true } },
    machineB: { directory: { refs: null, wal: null, bucket: null }, process: null },
  };
}

function beforeTheFirst(): Machines {
  const machineOf = (records: readonly string[]): Machine => {
    const directory = { refs: firstRefs, wal: { from: 0, records }, bucket: null };
    return { directory, process: null };
  };
  return { machineA: machineOf(['A']), machineB: machineOf(['A', 'B']) };
}

export function startOf(bounds: DirectoryBounds): DirectoryState {
  const { appends = 0, flushes = 0, edits = 0, claims = 0, crashes = 0, unknowns = 0 } = bounds;
  const { copies = 0, restores = 0, tears = 0, twins = 0, solos = 0 } = bounds;
  const { tags = 0, replacements = 0 } = bounds;
  const isFirst = bounds.isFirst === true;
  return {
    log: {},
    spine: isFirst ? [] : [{ nonce: 'A0', epoch: 1, edits: firstRefs }],
    late: [],
    acknowledged: [],
    kept: isFirst ? ['A', 'B'] : [],
    quarantine: {},
    copy: null,
    names: 0,
    ...(isFirst ? beforeTheFirst() : firstOwner()),
    met: null,
    left: {
      ...{ appends, flushes, edits, claims, crashes, unknowns, copies, restores },
      ...{ tears, twins, solos, tags, replacements },
    },
  };
}

export const hasFault = ({ faults = [] }: DirectoryBounds, fault: DirectoryFault): boolean =>
  faults.includes(fault);

export const spend = (state: DirectoryState, event: keyof DirectoryBudget): DirectoryState => ({
  ...state,
  left: { ...state.left, [event]: state.left[event] - 1 },
});

/** `change` replaces parts of the machine whose turn it is. */
export function withMachine(
  { name, machine }: Turn<unknown>,
  change: Partial<Machine>,
  state: DirectoryState,
): DirectoryState {
  const changed = { ...machine, ...change } as Machine;
  return name === 'A' ? { ...state, machineA: changed } : { ...state, machineB: changed };
}

export const withDirectory = (turn: Turn<unknown>, change: Partial<Directory>): DirectoryState =>
  withMachine(turn, { directory: { ...turn.machine.directory, ...change } }, turn.state);

export const placeOf = (epoch: number, number: number): string => `${epoch}/${number}`;

/** The process dies and leaves a request that may still land. */
export function dies(turn: Turn<unknown>, request: Request): DirectoryState {
  const state = spend(turn.state, 'unknowns');
  return withMachine(turn, { process: null }, { ...state, late: [...state.late, request] });
}

export const newestOf = ({ spine }: DirectoryState): Entry =>
  spine.at(-1) ?? { nonce: '', epoch: 0, edits: [] };

export const isWhole = (bucket: BucketFile | null): boolean =>
  bucket?.stage === 'whole' || bucket?.stage === 'first';

interface BucketLog {
  readonly records: readonly string[];
  readonly fault: 'sequence is missing' | 'sequence is there twice' | null;
}

/** The records of all groups before a place, in order. */
export function bucketLog({ log }: DirectoryState, epoch: number, number = Infinity): BucketLog {
  const records: string[] = [];
  for (let at = 1; at <= epoch; at += 1) {
    for (let i = 1; at < epoch || i < number; i += 1) {
      const group = log[placeOf(at, i)];
      if (group === undefined || group === 'seal') break;
      if (group.first > records.length + 1) return { records, fault: 'sequence is missing' };
      if (group.first <= records.length) return { records, fault: 'sequence is there twice' };
      records.push(...group.records);
    }
  }
  return { records, fault: null };
}

/** The records that the segments have. */
export const flushedOf = (refs: readonly Edit[] | null): readonly string[] =>
  refs?.at(-1)?.records ?? [];

/** The records that a start finds, up to the first gap. */
export function viewOf({ refs, wal }: Files): readonly string[] {
  const flushed = flushedOf(refs);
  if (wal === null || wal.from > flushed.length) return flushed;
  return [...flushed, ...wal.records.slice(flushed.length - wal.from)];
}

export const isPrefix = (short: readonly string[], long: readonly string[]): boolean =>
  short.every((one, at) => long[at] === one);

export const namesOf = (edits: readonly Edit[] | null): string[] =>
  (edits ?? []).map(({ name }) => name);
