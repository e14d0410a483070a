/**
 * Local directories beside the bucket: what a node that starts may go on with.
 *
 * Modelled: two nodes with a directory each, appends to the local log, groups whose answer is lost,
 * flushes, crashes, starts that die before or behind the claim, logs that lose an unsynced tail,
 * and directories that are rolled back to a copy. A record carries its sequence, which is its place
 * in the local log. The budget bounds how often each event happens; `directory.test.ts` sets it.
 *
 * Left out: publications (the head of the bucket has no segments), the trim, late requests, and a
 * crash while a directory is set aside. A start seals and claims in one step: if anything changed
 * behind the seal, the claim would fail.
 */
import { type Model, type Step, type Violation } from './explore.js';

/** `mend` is the right rule. The others leave something out. */
export type DirectoryRule =
  | 'mend'
  /** BUCKET names a claim and a group, and both are on the chains. */
  | 'onChain'
  /** BUCKET gets the nonce behind the claim. */
  | 'nonceBehindClaim'
  /** The newest claim is ours, and the logs are not compared. */
  | 'nonceAlone'
  /** BUCKET keeps the newest nonce only. */
  | 'lastNonce'
  /** BUCKET keeps the known nonce and the last two that were tried. */
  | 'lastTwoNonces'
  /** The verdict comes before the claim, and survives a claim that fails. */
  | 'earlyVerdict'
  /** MANIFEST stays in place when the bucket wins. */
  | 'staleManifest';

interface DirectoryBudget {
  readonly appends: number;
  readonly flushes: number;
  readonly claims: number;
  readonly crashes: number;
  /** Groups whose answer is lost: the node dies then. */
  readonly unknowns: number;
  readonly rollbacks: number;
}

export interface DirectoryBounds extends Partial<DirectoryBudget> {
  readonly rule?: DirectoryRule;
  /** The log is synced by interval: a crash may lose what was appended since the last start. */
  readonly isUnsynced?: boolean;
  /** A node that died starts from a copy only, as after the loss of its disk. */
  readonly isCopyOnly?: boolean;
  /** Copies are put back only behind a claim of another node. */
  readonly isBehindOther?: boolean;
}

export type DirectoryViolation =
  | 'sequence at a wrong place'
  | 'acknowledged record lost'
  | 'acknowledged record unseen'
  | 'own tail set aside';

interface GroupRecord {
  readonly name: string;
  readonly sequence: number;
}

/** The file BUCKET. */
interface BucketFile {
  /** The nonce of the last claim that is known as ours, then those tried since. */
  readonly nonces: readonly string[];
  readonly group: string | null;
}

interface Directory {
  /** The records of the local log, flushed ones included. */
  readonly records: readonly string[];
  readonly syncedCount: number;
  readonly bucket: BucketFile | null;
  /** The records in the segments of MANIFEST. Null: no flush. */
  readonly flushed: readonly string[] | null;
}

interface DirectoryNode {
  readonly isOwner: boolean;
  readonly epoch: number;
  /** The number of the next group. */
  readonly next: number;
  readonly shippedCount: number;
  readonly directory: Directory;
  /** Whether the local state goes on. Only the rule `earlyVerdict` decides before the claim. */
  readonly verdict: boolean | null;
  readonly copy: Directory | null;
  readonly mayStart: boolean;
}

export type DirectoryState = {
  readonly log: Readonly<Record<string, readonly GroupRecord[] | 'seal'>>;
  /** The nonces of the claims, one an epoch. */
  readonly claims: readonly string[];
  readonly acknowledged: readonly string[];
  readonly names: number;
  readonly nodeA: DirectoryNode;
  readonly nodeB: DirectoryNode;
  readonly setAside: string | null;
  readonly left: DirectoryBudget;
};

type DirectoryStep = Step<DirectoryState>;

interface Turn {
  readonly state: DirectoryState;
  readonly name: 'A' | 'B';
  readonly node: DirectoryNode;
  readonly bounds: DirectoryBounds;
}

export function directoryModel(bounds: DirectoryBounds): Model<DirectoryState, DirectoryViolation> {
  const stepsOf = (state: DirectoryState): DirectoryStep[] => [
    ...nodeSteps({ state, name: 'A', node: state.nodeA, bounds }),
    ...nodeSteps({ state, name: 'B', node: state.nodeB, bounds }),
  ];
  return { start: startOf(bounds), stepsOf, violationOf, situations };
}

function startOf(bounds: DirectoryBounds): DirectoryState {
  const empty: Directory = { records: [], syncedCount: 0, bucket: null, flushed: null };
  const node = { epoch: 1, next: 1, shippedCount: 0, verdict: null, copy: null, mayStart: true };
  const nodeA = {
    ...node,
    isOwner: true,
    directory: { ...empty, bucket: { nonces: ['A0'], group: null } },
  };
  const { appends = 0, flushes = 0, claims = 0, crashes = 0, unknowns = 0, rollbacks = 0 } = bounds;
  return {
    log: {},
    claims: ['A0'],
    acknowledged: [],
    names: 0,
    nodeA,
    nodeB: { ...node, isOwner: false, directory: empty },
    setAside: null,
    left: { appends, flushes, claims, crashes, unknowns, rollbacks },
  };
}

const spend = (state: DirectoryState, event: keyof DirectoryBudget): DirectoryState => ({
  ...state,
  left: { ...state.left, [event]: state.left[event] - 1 },
});

function withNode(turn: Turn, node: DirectoryNode, state = turn.state): DirectoryState {
  return turn.name === 'A' ? { ...state, nodeA: node } : { ...state, nodeB: node };
}

const nodeSteps = (turn: Turn): DirectoryStep[] =>
  turn.node.isOwner ? ownerSteps(turn) : [...rollbackSteps(turn), ...startSteps(turn)];

function ownerSteps(turn: Turn): DirectoryStep[] {
  const { state, node, name, bounds } = turn;
  const { left } = state;
  const { directory } = node;
  const steps = shipSteps(turn);
  if (left.appends > 0) {
    const names = state.names + 1;
    const records = [...directory.records, `${name}${names}`];
    const syncedCount = bounds.isUnsynced === true ? directory.syncedCount : records.length;
    const appended = { ...node, directory: { ...directory, records, syncedCount } };
    const spent = { ...spend(state, 'appends'), names };
    steps.push([`${name} appends ${name}${names}`, withNode(turn, appended, spent)]);
  }
  if (left.flushes > 0 && directory.records.length > (directory.flushed?.length ?? 0)) {
    const { records } = directory;
    const flushed = { ...directory, flushed: records, syncedCount: records.length };
    const spent = spend(state, 'flushes');
    steps.push([`${name} flushes`, withNode(turn, { ...node, directory: flushed }, spent)]);
  }
  if (left.crashes > 0) {
    const spent = spend(state, 'crashes');
    steps.push([`${name} crashes`, withNode(turn, dead(turn, node), spent)]);
  }
  if (left.rollbacks > 0 && node.copy === null) {
    steps.push([`${name}: a copy is made`, withNode(turn, { ...node, copy: directory })]);
  }
  return steps;
}

function dead({ bounds }: Turn, node: DirectoryNode): DirectoryNode {
  const { directory } = node;
  const records = directory.records.slice(0, directory.syncedCount);
  return { ...node, ...down(bounds), directory: { ...directory, records } };
}

const down = ({ isCopyOnly }: DirectoryBounds) => ({
  isOwner: false,
  mayStart: isCopyOnly !== true,
});

/** A group takes all that the local log has. */
function shipSteps(turn: Turn): DirectoryStep[] {
  const { state, node, name, bounds } = turn;
  const { directory, shippedCount, epoch, next } = node;
  if (shippedCount === directory.records.length) return [];
  const place = `${epoch}/${next}`;
  if (state.log[place] !== undefined) {
    return [[`${name} is fenced`, withNode(turn, { ...node, ...down(bounds) })]];
  }
  const group = directory.records.slice(shippedCount).map((record, at) => {
    return { name: record, sequence: shippedCount + at + 1 };
  });
  const shipped = { ...state, log: { ...state.log, [place]: group } };
  const names = group.map((one) => one.name);
  const known: DirectoryNode = {
    ...node,
    next: next + 1,
    shippedCount: directory.records.length,
    directory: {
      ...directory,
      bucket: { nonces: directory.bucket?.nonces ?? [], group: place },
    },
  };
  const acknowledged = [...state.acknowledged, ...names];
  const heard = withNode(turn, known, { ...shipped, acknowledged });
  const steps: DirectoryStep[] = [[`${name} acknowledges ${String(names)}`, heard]];
  if (state.left.unknowns > 0) {
    const unheard = withNode(turn, { ...node, ...down(bounds) }, spend(shipped, 'unknowns'));
    steps.push([`${name} does not know of ${place} and dies`, unheard]);
  }
  return steps;
}

function rollbackSteps(turn: Turn): DirectoryStep[] {
  const { state, node, name, bounds } = turn;
  if (node.copy === null || state.left.rollbacks === 0) return [];
  if (bounds.isBehindOther === true && state.claims.at(-1)?.startsWith(name)) return [];
  const rolledBack = { ...node, directory: node.copy, mayStart: true };
  const spent = spend(state, 'rollbacks');
  return [[`${name}: the copy is put back`, withNode(turn, rolledBack, spent)]];
}

/** All records on the bucket, in order. */
function bucketRecords({ log, claims }: DirectoryState): GroupRecord[] {
  const found: GroupRecord[] = [];
  for (let epoch = 1; epoch <= claims.length; epoch += 1) {
    for (let number = 1; ; number += 1) {
      const group = log[`${epoch}/${number}`];
      if (group === undefined || group === 'seal') break;
      found.push(...group);
    }
  }
  return found;
}

function startSteps(turn: Turn): DirectoryStep[] {
  const { state, node, name, bounds } = turn;
  if (state.left.claims === 0 || !node.mayStart) return [];
  if (bounds.rule === 'earlyVerdict' && node.verdict === null) {
    const verdict = goesOn(turn, bucketRecords(state));
    return [[`${name} compares`, withNode(turn, { ...node, verdict })]];
  }
  const names = state.names + 1;
  const nonce = `${name}${names}`;
  const spent = { ...spend(state, 'claims'), names };
  const tried = { ...withTried(turn, nonce), ...down(bounds) };
  const steps: DirectoryStep[] = [];
  if (state.left.crashes > 0) {
    const died = spend(spent, 'crashes');
    steps.push([`${name} starts, dies before its claim`, withNode(turn, tried, died)]);
    const claimed = withNode(turn, tried, withClaim(died, nonce));
    steps.push([`${name} starts, dies behind its claim ${nonce}`, claimed]);
  }
  return [...steps, [`${name} starts, claims as ${nonce}`, started(turn, spent, nonce)]];
}

/** BUCKET is synced with the nonce before the claim. */
function withTried({ node, bounds }: Turn, nonce: string): DirectoryNode {
  if (bounds.rule === 'nonceBehindClaim' || bounds.rule === 'onChain') return node;
  const { directory } = node;
  const [known, ...tried] = directory.bucket?.nonces ?? [];
  const older = bounds.rule === 'lastTwoNonces' ? tried.slice(-1) : tried;
  const all = known === undefined ? [nonce] : [known, ...older, nonce];
  const nonces = bounds.rule === 'lastNonce' ? [nonce] : all;
  const bucket = { nonces, group: directory.bucket?.group ?? null };
  return { ...node, directory: { ...directory, bucket } };
}

/** Seals the epoch of the newest claim, and claims the next one. */
function withClaim(state: DirectoryState, nonce: string): DirectoryState {
  const epoch = state.claims.length;
  let number = 1;
  while (Array.isArray(state.log[`${epoch}/${number}`])) number += 1;
  const log = { ...state.log, [`${epoch}/${number}`]: 'seal' as const };
  return { ...state, log, claims: [...state.claims, nonce] };
}

/** The verdict: whether the local state goes on. Else the bucket wins. */
function goesOn({ state, node, bounds }: Turn, onBucket: readonly GroupRecord[]): boolean {
  const { bucket, records } = node.directory;
  if (bucket === null) return false;
  const head = state.claims.at(-1) ?? '';
  const isOurs = bucket.nonces.includes(head);
  if (bounds.rule === 'nonceAlone') return isOurs;
  if (bounds.rule === 'onChain') {
    const isKnown = state.claims.some((nonce) => bucket.nonces.includes(nonce));
    return isKnown && (bucket.group === null || Array.isArray(state.log[bucket.group]));
  }
  return isOurs && isPrefix(onBucket, records);
}

const isPrefix = (onBucket: readonly GroupRecord[], records: readonly string[]): boolean =>
  onBucket.every(({ name }, at) => records[at] === name);

function started(turn: Turn, spent: DirectoryState, nonce: string): DirectoryState {
  const { state, node, bounds, name } = turn;
  const onBucket = bucketRecords(state);
  const isLocal = node.verdict ?? goesOn(turn, onBucket);
  const { directory } = node;
  const records = isLocal ? directory.records : onBucket.map((one) => one.name);
  const keepsManifest = isLocal || bounds.rule === 'staleManifest';
  const owner: DirectoryNode = {
    isOwner: true,
    epoch: state.claims.length + 1,
    next: 1,
    shippedCount: Math.min(onBucket.length, records.length),
    directory: {
      records,
      syncedCount: records.length,
      bucket: { nonces: [nonce], group: null },
      flushed: keepsManifest ? directory.flushed : null,
    },
    verdict: null,
    copy: node.copy,
    mayStart: true,
  };
  const isAlone = state.claims.every((claim) => claim.startsWith(name));
  const hasTail = directory.records.length > onBucket.length;
  const isWrong = !isLocal && isAlone && hasTail && isPrefix(onBucket, directory.records);
  // A copy may lack the nonces of the claims that its node made since.
  const setAside = isWrong && bounds.rollbacks === undefined ? name : state.setAside;
  return withNode(turn, owner, { ...withClaim(spent, nonce), setAside });
}

/** The records that the engine has: segments of MANIFEST, and the log behind them. */
const viewOf = ({ flushed, records }: Directory): readonly string[] =>
  flushed === null ? records : [...flushed, ...records.slice(flushed.length)];

function violationOf(state: DirectoryState): Violation<DirectoryViolation> | null {
  const onBucket = bucketRecords(state);
  const wrong = onBucket.find(({ sequence }, at) => sequence !== at + 1);
  if (wrong !== undefined) return { kind: 'sequence at a wrong place', what: wrong.name };
  const { acknowledged, nodeA, nodeB, claims, setAside } = state;
  const lost = acknowledged.find((name) => !onBucket.some((one) => one.name === name));
  if (lost !== undefined) return { kind: 'acknowledged record lost', what: lost };
  for (const node of [nodeA, nodeB]) {
    if (!node.isOwner || node.epoch !== claims.length) continue;
    const view = viewOf(node.directory);
    const unseen = acknowledged.find((name) => !view.includes(name));
    if (unseen !== undefined) return { kind: 'acknowledged record unseen', what: unseen };
  }
  return setAside === null ? null : { kind: 'own tail set aside', what: setAside };
}

const situations: Readonly<Record<string, (state: DirectoryState) => boolean>> = {
  'an owner goes on with a local tail': ({ nodeA, claims }) => {
    const isTail = nodeA.shippedCount < nodeA.directory.records.length && nodeA.next === 1;
    return nodeA.isOwner && isTail && nodeA.epoch === claims.length && nodeA.epoch > 1;
  },
  'another node claimed behind a local tail': ({ nodeA, claims }) =>
    nodeA.directory.records.length > nodeA.shippedCount && claims.at(-1)?.startsWith('B') === true,
  'a copy without the newest claim is put back': ({ nodeA, claims, left }) =>
    left.rollbacks === 0 &&
    nodeA.copy !== null &&
    !nodeA.isOwner &&
    JSON.stringify(nodeA.directory) === JSON.stringify(nodeA.copy) &&
    claims.at(-1)?.startsWith('B') === true,
};
