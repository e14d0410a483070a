/** The store of the protocol model: put-if-absent, deletes, and answers that get lost. */
import {
  spend,
  type Entry,
  type ProtocolFault,
  type ProtocolState,
  type Request,
} from './protocol-state.js';

/** `refused` is status 412. `unknown`: no answer came. */
type Answer = 'created' | 'refused' | 'unknown';

export interface Attempt {
  readonly answer: Answer;
  readonly state: ProtocolState;
}

/** Carries a request out. Returns null if a create finds the key in use. */
export function perform(
  state: ProtocolState,
  request: Request,
  fault: ProtocolFault | null,
): ProtocolState | null {
  switch (request.kind) {
    case 'createGroup': {
      if (state.log[request.place] !== undefined && fault !== 'ignoring') return null;
      return { ...state, log: { ...state.log, [request.place]: request.value } };
    }
    case 'createEntry': {
      const { number, entry } = request;
      if (entryAt(state, number) !== null && fault !== 'ignoring') return null;
      const spine: (Entry | null)[] = [...state.spine];
      spine[number - 1] = entry;
      return { ...state, spine };
    }
    case 'deleteGroup': {
      const groups = Object.entries(state.log).filter(([place]) => place !== request.place);
      return { ...state, log: Object.fromEntries(groups) };
    }
    case 'deleteEntry':
      return { ...state, spine: state.spine.with(request.number - 1, null) };
    case 'deleteObject':
      return { ...state, objects: state.objects.filter((one) => one !== request.object) };
  }
}

export const entryAt = (state: ProtocolState, number: number): Entry | null =>
  state.spine[number - 1] ?? null;

/**
 * All outcomes of one create: an answer, or none. Without an answer the request landed, or it is
 * under way and lands at any later time, or never.
 */
export function attemptsOf(
  state: ProtocolState,
  request: Request,
  fault: ProtocolFault | null,
): readonly Attempt[] {
  const created = perform(state, request, fault);
  const known: Attempt = {
    answer: created === null ? 'refused' : 'created',
    state: created ?? state,
  };
  if (state.left.unknowns === 0) return [known];
  const spent = spend(state, 'unknowns');
  return [
    known,
    { answer: 'unknown', state: created === null ? spent : { ...created, left: spent.left } },
    { answer: 'unknown', state: { ...spent, late: [...spent.late, request] } },
  ];
}

/** Lands one of the requests that are under way. */
export function land(state: ProtocolState, at: number, fault: ProtocolFault | null): ProtocolState {
  const request = state.late[at];
  const left = { ...state, late: state.late.filter((_, index) => index !== at) };
  return request === undefined ? left : (perform(left, request, fault) ?? left);
}
