/** The steps of a node that claims the ownership, in the protocol model. */
import {
  headOf,
  idle,
  isSeal,
  isSealedAt,
  placeKey,
  spend,
  withNode,
  type Claimant,
  type Entry,
  type Owner,
  type ProtocolState,
  type ProtocolStep,
  type Request,
  type Turn,
} from './protocol-state.js';
import { attemptsOf, entryAt, perform } from './protocol-store.js';

type ClaimantTurn = Turn<Claimant>;

/** An idle node begins a claim: it reads the newest entry. */
export function beginSteps(turn: Turn<{ readonly role: 'idle' }>): ProtocolStep[] {
  if (turn.state.left.claims === 0) return [];
  const spent = spend(turn.state, 'claims');
  const state = { ...spent, names: spent.names + 1 };
  const head = headOf(state.spine);
  const claimant: Claimant = {
    role: 'claimant',
    entry: state.spine.length,
    head,
    place: head.state.floor,
    replayed: [],
    end: null,
    nonce: `${turn.name}${state.names}`,
  };
  const label = `${turn.name} reads the spine up to ${state.spine.length}`;
  return [[label, withNode(state, turn.name, claimant)]];
}

export function claimantSteps(turn: ClaimantTurn): ProtocolStep[] {
  const { node, state, name, fault } = turn;
  if (node.end !== null) return createClaim(turn);
  if (node.place[0] < node.head.epoch) return [readSealedEpoch(turn)];
  if (fault === 'claimFirst' && state.log[placeKey(node.place)] === undefined) {
    const label = `${name} takes ${placeKey(node.place)} for the end`;
    return [[label, withNode(state, name, { ...node, end: node.place })]];
  }
  return sealOrReplay(turn);
}

const beginsAnew = (turn: ClaimantTurn, state: ProtocolState): ProtocolStep => [
  `${turn.name} begins anew`,
  withNode(state, turn.name, idle),
];

const behind = (node: Claimant, record: string): Claimant => ({
  ...node,
  place: [node.place[0], node.place[1] + 1],
  replayed: [...node.replayed, record],
});

function readSealedEpoch(turn: ClaimantTurn): ProtocolStep {
  const { node, state, name } = turn;
  if (isSealedAt(node.head.ends, node.place)) {
    const place = [node.place[0] + 1, 1] as const;
    return [`${name} replays epoch ${place[0]}`, withNode(state, name, { ...node, place })];
  }
  const value = state.log[placeKey(node.place)];
  if (value === undefined || isSeal(value)) return beginsAnew(turn, state);
  return [`${name} replays ${value}`, withNode(state, name, behind(node, value))];
}

function sealOrReplay(turn: ClaimantTurn): ProtocolStep[] {
  const { node, name } = turn;
  const place = placeKey(node.place);
  const request: Request = { kind: 'createGroup', place, value: `S${name}` };
  return attemptsOf(turn.state, request, turn.fault).map(({ answer, state }) => {
    if (answer === 'unknown') return [`${name} does not know of its seal`, state];
    const value = state.log[place];
    if (value === undefined) return beginsAnew(turn, state);
    if (answer === 'created' || isSeal(value)) {
      return [`${name} finds ${place} sealed`, withNode(state, name, { ...node, end: node.place })];
    }
    return [`${name} replays ${value}`, withNode(state, name, behind(node, value))];
  });
}

function createClaim(turn: ClaimantTurn): ProtocolStep[] {
  const { node, name, fault } = turn;
  const { head, end } = node;
  if (end === null) return [];
  const epoch = head.epoch + 1;
  const entry: Entry = { epoch, state: head.state, ends: [...head.ends, end], nonce: node.nonce };
  const number = node.entry + 1;
  const request: Request = { kind: 'createEntry', number, entry };
  return attemptsOf(turn.state, request, fault).map(({ answer, state }) => {
    if (answer === 'unknown') return [`${name} does not know of its claim`, state];
    if (answer === 'refused' && entryAt(state, number)?.nonce !== node.nonce) {
      if (fault !== 'claimNext') return beginsAnew(turn, state);
      const next = { ...node, entry: number };
      return [`${name} tries the next entry`, withNode(state, name, next)];
    }
    const sealed = fault === 'claimFirst' ? sealLate(turn, state) : state;
    const owner = withNode(sealed, name, ownerOf(node, entry));
    return [`${name} is owner of epoch ${epoch}`, owner];
  });
}

/** The planted fault: the seal comes behind the claim. */
function sealLate({ node, name, fault }: ClaimantTurn, state: ProtocolState): ProtocolState {
  const place = placeKey(node.end ?? node.place);
  return perform(state, { kind: 'createGroup', place, value: `S${name}` }, fault) ?? state;
}

function ownerOf(node: Claimant, entry: Entry): Owner {
  return {
    role: 'owner',
    epoch: entry.epoch,
    ends: entry.ends,
    next: 1,
    entry: node.entry + 1,
    published: entry.state,
    local: null,
    unflushed: node.replayed,
    group: null,
    publication: null,
    sweep: null,
    tried: null,
    removals: [],
  };
}
