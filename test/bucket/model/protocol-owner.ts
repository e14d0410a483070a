/** The steps of an owner in the protocol model: groups, publications, the trim and the sweep. */
import {
  idle,
  isBelow,
  isSeal,
  namesOf,
  placeKey,
  placeOf,
  spend,
  withNode,
  type DatabaseState,
  type Entry,
  type Group,
  type Owner,
  type Place,
  type ProtocolState,
  type ProtocolStep,
  type Request,
  type Turn,
} from './protocol-state.js';
import { attemptsOf, entryAt, perform, type Attempt } from './protocol-store.js';

type OwnerTurn = Turn<Owner>;

export function ownerSteps(turn: OwnerTurn): ProtocolStep[] {
  return [
    ...groupSteps(turn),
    ...flushSteps(turn),
    ...snapshotSteps(turn),
    ...publicationSteps(turn),
    ...sweepSteps(turn),
    ...removalSteps(turn),
  ];
}

const fenced = (turn: OwnerTurn, state: ProtocolState): ProtocolStep => [
  `${turn.name} is fenced`,
  withNode(state, turn.name, idle),
];

function groupSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, fault } = turn;
  const { group } = node;
  if (group === null) {
    return state.left.groups === 0 ? [] : sendGroup(...withNewGroup(turn, node.next));
  }
  const steps = sendGroup(turn, group);
  if (fault === 'pipeline' && state.left.groups > 0 && node.next === group.number) {
    const [ahead, second] = withNewGroup(turn, group.number + 1);
    steps.push(...sendGroup({ ...ahead, node: { ...node, group } }, second));
  }
  return steps;
}

function withNewGroup(turn: OwnerTurn, number: number): [OwnerTurn, Group] {
  const [name, state] = newName(turn, spend(turn.state, 'groups'));
  const group = { number, record: name, isRetry: false };
  return [{ ...turn, state, node: { ...turn.node, group } }, group];
}

function newName(turn: OwnerTurn, state: ProtocolState): [string, ProtocolState] {
  const names = state.names + 1;
  return [`${turn.name}${names}`, { ...state, names }];
}

function sendGroup(turn: OwnerTurn, group: Group): ProtocolStep[] {
  const place = placeKey([turn.node.epoch, group.number]);
  const request: Request = { kind: 'createGroup', place, value: group.record };
  return attemptsOf(turn.state, request, turn.fault).map((attempt) => {
    return afterGroup({ turn, group, attempt, found: attempt.state.log[place] });
  });
}

interface SentGroup {
  readonly turn: OwnerTurn;
  readonly group: Group;
  readonly attempt: Attempt;
  /** What stands at the place. */
  readonly found: string | undefined;
}

function afterGroup({ turn, group, attempt, found }: SentGroup): ProtocolStep {
  const { node, name, fault } = turn;
  const { answer, state } = attempt;
  const { number, record } = group;
  if (answer === 'unknown') {
    const isOther = fault === 'otherBytes' && record.length < 4;
    const retry = { number, record: isOther ? `${record}x` : record, isRetry: true };
    const next = withNode(state, name, { ...node, group: retry });
    return [`${name} does not know of ${record}`, next];
  }
  const isBelieved =
    group.isRetry && (fault === 'assumeMine' || (fault === 'otherBytes' && !isSeal(found)));
  if (answer === 'refused' && found !== record && !isBelieved) return fenced(turn, state);
  const owner: Owner = {
    ...node,
    unflushed: [...node.unflushed, record],
    group: node.group?.number === number ? null : node.group,
    next: Math.max(node.next, number + 1),
  };
  const acknowledged = [...state.acknowledged, record];
  const place = placeKey([node.epoch, number]);
  const label = `${name} acknowledges ${record} at ${place}`;
  return [label, withNode({ ...state, acknowledged }, name, owner)];
}

/** The newest local state. */
const currentOf = ({ local, publication, published }: Owner): DatabaseState =>
  local ?? publication?.state ?? published;

/** A flush that also merges all segments into one. */
function flushSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, isAhead } = turn;
  const { left } = state;
  if (left.flushes === 0 || (!isAhead && node.publication !== null)) return [];
  const current = currentOf(node);
  const flushed = node.unflushed.filter((one) => !current.records.includes(one));
  if (flushed.length === 0 && !(isAhead && current.objects.length > 0)) return [];
  const [name, named] = newName(turn, spend(state, 'flushes'));
  const floor: Place = [node.epoch, node.next];
  const records = [...current.records, ...flushed];
  const local = { records, objects: [`db/${name}`], tagged: current.tagged, floor };
  const ahead = withLocal(turn, named, local);
  return [[`${turn.name} freezes below ${placeKey(floor)}`, ahead]];
}

/** Puts a local edit in place. The simpler searches begin the publication in the same step. */
function withLocal(turn: OwnerTurn, state: ProtocolState, local: DatabaseState): ProtocolState {
  if (turn.isAhead) return withNode(state, turn.name, { ...turn.node, local });
  const publication = { nonce: `${turn.name}${state.names}`, state: local, isUploaded: false };
  return withNode(state, turn.name, { ...turn.node, publication });
}

/** A snapshot names the current state: its segments stay when a merge replaces them. */
function snapshotSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, name } = turn;
  const current = currentOf(node);
  if (state.left.snapshots === 0 || current.objects.length === 0) return [];
  const spent = spend(state, 'snapshots');
  const tagged = [...new Set([...current.tagged, ...current.objects])];
  const steps: ProtocolStep[] = [
    [`${name} makes a snapshot`, withLocal(turn, spent, { ...current, tagged })],
  ];
  if (current.tagged.length > 0) {
    const untagged = withLocal(turn, spent, { ...current, tagged: [] });
    steps.push([`${name} deletes its snapshots`, untagged]);
  }
  return steps;
}

function publicationSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, name, fault } = turn;
  const { publication } = node;
  if (publication === null) {
    if (node.local === null) return [];
    const [nonce, named] = newName(turn, state);
    const begun = { nonce, state: node.local, isUploaded: false };
    const owner = { ...node, local: null, publication: begun };
    return [[`${name} begins to publish`, withNode(named, name, owner)]];
  }
  if (publication.isUploaded) return createEntry(turn, 'publication');
  const missing = without(namesOf(publication.state), namesOf(node.published));
  const uploaded = { ...state, objects: [...state.objects, ...missing] };
  let owner: Owner = { ...node, publication: { ...publication, isUploaded: true } };
  if (fault === 'trimEarly') owner = trimmed(turn, owner, publication.state);
  return [[`${name} uploads ${String(missing)}`, withNode(uploaded, name, owner)]];
}

/** Creates the next entry of the spine, for a publication or for a sweep. */
function createEntry(turn: OwnerTurn, cause: 'publication' | 'sweep'): ProtocolStep[] {
  const { node, name, fault, isAhead } = turn;
  const work = node[cause];
  if (work === null || (node.tried !== null && node.tried !== cause)) return [];
  const entry = entryOf(turn, cause);
  const number = node.entry + 1;
  const request: Request = { kind: 'createEntry', number, entry };
  return attemptsOf(turn.state, request, fault).map(({ answer, state }) => {
    if (answer === 'unknown') {
      const owner: Owner = isAhead ? { ...node, tried: cause } : node;
      return [`${name} does not know of entry ${number}`, withNode(state, name, owner)];
    }
    if (answer === 'refused' && entryAt(state, number)?.nonce !== work.nonce) {
      return fenced(turn, state);
    }
    const owner = afterEntry({ ...turn, state }, cause, entry);
    const label = `${name} has entry ${number} of a ${cause}, floor ${placeKey(entry.state.floor)}`;
    return [label, withNode(state, name, owner)];
  });
}

function entryOf({ node, fault }: OwnerTurn, cause: 'publication' | 'sweep'): Entry {
  const { epoch, ends, publication, sweep } = node;
  if (cause === 'sweep' || publication === null) {
    return { epoch, state: node.published, ends, nonce: sweep?.nonce ?? '' };
  }
  const floor: Place = fault === 'floorAhead' ? [epoch, node.next] : publication.state.floor;
  return { epoch, state: { ...publication.state, floor }, ends, nonce: publication.nonce };
}

/** The entry is known: only now may anything go that it does not name. */
function afterEntry(turn: OwnerTurn, cause: 'publication' | 'sweep', entry: Entry): Owner {
  const { node, fault } = turn;
  const number = node.entry + 1;
  const known = { ...node, entry: number, published: entry.state, tried: null };
  let owner: Owner;
  if (cause === 'publication') {
    const unflushed = without(node.unflushed, entry.state.records);
    owner = trimmed(turn, { ...known, publication: null, unflushed }, entry.state);
  } else {
    owner = trimmed(turn, { ...known, sweep: null }, entry.state);
    const garbage = (node.sweep?.garbage ?? []).map(deletionOf);
    owner = { ...owner, removals: [...owner.removals, ...garbage] };
  }
  if (fault !== 'trimSpine') return owner;
  const older = Array.from({ length: number - 1 }, (_, at): Request => {
    return { kind: 'deleteEntry', number: at + 1 };
  });
  return { ...owner, removals: [...owner.removals, ...older] };
}

const deletionOf = (object: string): Request => ({ kind: 'deleteObject', object });

/** Plans the removal of groups below the floor, and of objects that the new state does not name. */
function trimmed(turn: OwnerTurn, owner: Owner, state: DatabaseState): Owner {
  const { log } = turn.state;
  const removals = [...owner.removals];
  for (const [place, value] of Object.entries(log)) {
    if (!isBelow(placeOf(place), state.floor)) continue;
    if (!isSeal(value) || turn.fault === 'trimSeals') removals.push({ kind: 'deleteGroup', place });
  }
  const named = turn.fault === 'trimForgetsTags' ? state.objects : namesOf(state);
  removals.push(...without(namesOf(turn.node.published), named).map(deletionOf));
  return { ...owner, removals };
}

function sweepSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, isAhead, fault, name } = turn;
  if (node.sweep !== null) return createEntry(turn, 'sweep');
  if (state.left.sweeps === 0 || (!isAhead && node.publication !== null)) return [];
  const garbage = garbageOf(turn);
  const label = `${name} lists the garbage ${String(garbage)}`;
  const spent = spend(state, 'sweeps');
  if (fault === 'sweepBlind') {
    const removals = [...node.removals, ...garbage.map(deletionOf)];
    return [[label, withNode(spent, name, { ...node, removals })]];
  }
  const [nonce, named] = newName(turn, spent);
  return [[label, withNode(named, name, { ...node, sweep: { nonce, garbage } })]];
}

/** What stands below the prefix and has no name in the entry, the local state or an upload. */
function garbageOf({ state, node, fault }: OwnerTurn): string[] {
  const prefix = fault === 'sweepNeighbour' ? 'db' : 'db/';
  const listed = state.objects.filter((object) => object.startsWith(prefix));
  const kept = [
    fault === 'sweepForgetsHead' ? null : node.published,
    fault === 'sweepForgetsPending' ? null : node.publication?.state,
    currentOf(node),
  ];
  const names = kept.flatMap(fault === 'sweepForgetsTags' ? (one) => one?.objects ?? [] : namesOf);
  return without(listed, names);
}

const without = (all: readonly string[], some: readonly string[]): string[] =>
  all.filter((one) => !some.includes(one));

/** Removals go in order, each at once or late. */
function removalSteps(turn: OwnerTurn): ProtocolStep[] {
  const { state, node, name, fault } = turn;
  const [removal, ...removals] = node.removals;
  if (removal === undefined) return [];
  const what = wordOf(removal);
  const owner = { ...node, removals };
  const done = perform(state, removal, fault) ?? state;
  const steps: ProtocolStep[] = [[`${name} removes ${what}`, withNode(done, name, owner)]];
  if (state.left.unknowns > 0) {
    const spent = spend(state, 'unknowns');
    const late = { ...spent, late: [...spent.late, removal] };
    steps.push([`${name} sends a removal of ${what}`, withNode(late, name, owner)]);
  }
  return steps;
}

/** The key of a request, for the path of a violation. */
export function wordOf(request: Request): string {
  if ('place' in request) return request.place;
  return 'object' in request ? request.object : `entry ${request.number}`;
}
