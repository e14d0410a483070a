/** The steps of an owner in the directory model. */
import {
  dies,
  flushedOf,
  hasFault,
  namesOf,
  placeOf,
  spend,
  viewOf,
  withMachine,
  type Directory,
  type DirectoryState,
  type DirectoryStep,
  type Edit,
  type Entry,
  type Group,
  type Owner,
  type Turn,
} from './directory-state.js';

export const ownerSteps = (turn: Turn<Owner>): DirectoryStep[] => [
  ...appendSteps(turn),
  ...shipSteps(turn),
  ...editSteps(turn),
  ...publishSteps(turn),
  ...removalSteps(turn),
];

const fenced = (turn: Turn<Owner>): DirectoryStep => [
  `${turn.name} is fenced`,
  withMachine(turn, { process: null }, turn.state),
];

const changed = (turn: Turn<Owner>, change: Partial<Directory>, state: DirectoryState) =>
  withMachine(turn, { directory: { ...turn.machine.directory, ...change } }, state);

function appendSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine, bounds } = turn;
  const { wal } = machine.directory;
  if (state.left.appends === 0 || wal === null) return [];
  const names = state.names + 1;
  const record = `${name}${names}`;
  const kept = bounds.isLocal === true ? [...state.kept, record] : state.kept;
  const spent = { ...spend(state, 'appends'), names, kept };
  const longer = { ...wal, records: [...wal.records, record] };
  return [[`${name} appends ${record}`, changed(turn, { wal: longer }, spent)]];
}

/** A group takes all that stands in the local log behind what is shipped. */
function shipSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine } = turn;
  const { wal } = machine.directory;
  const { shipped, epoch, next } = machine.process;
  if (wal === null || wal.from + wal.records.length <= shipped) return [];
  const from = Math.max(shipped, wal.from);
  const group: Group = { first: from + 1, records: wal.records.slice(from - wal.from) };
  const place = placeOf(epoch, next);
  const found = state.log[place];
  const steps: DirectoryStep[] = [];
  if (state.left.unknowns > 0) {
    steps.push([`${name} ships ${place} and dies`, dies(turn, { place, group })]);
  }
  // A machine and its twin may ship the same group.
  if (found !== undefined && JSON.stringify(found) !== JSON.stringify(group)) {
    return [...steps, fenced(turn)];
  }
  const last = wal.from + wal.records.length;
  const process: Owner = { ...machine.process, next: next + 1, shipped: last };
  const written = { ...state, log: { ...state.log, [place]: group } };
  const acknowledged = [...state.acknowledged, ...group.records];
  const known = withMachine(turn, { process }, { ...written, acknowledged });
  return [...steps, [`${name} acknowledges ${String(group.records)}`, known]];
}

/** A flush takes all records. A merge has the records of the edit before it. */
function editSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine } = turn;
  const { directory } = machine;
  const { refs } = directory;
  const { left } = state;
  const view = viewOf(directory);
  const names = state.names + 1;
  const withEdit = (records: readonly string[], event: 'flushes' | 'edits') => {
    const edit: Edit = { name: `E${name}${names}`, records };
    return changed(turn, { refs: [...(refs ?? []), edit] }, { ...spend(state, event), names });
  };
  const steps: DirectoryStep[] = [];
  if (left.flushes > 0 && view.length > flushedOf(refs).length) {
    steps.push([`${name} flushes`, withEdit(view, 'flushes')]);
  }
  if (left.edits > 0) steps.push([`${name} merges`, withEdit(flushedOf(refs), 'edits')]);
  if (left.tags > 0) {
    const tagged = [...(refs ?? []), { name: `T${name}${names}`, records: flushedOf(refs) }];
    const spent = { ...spend(state, 'tags'), names };
    steps.push([`${name} tags`, changed(turn, { refs: tagged }, spent)]);
  }
  if (left.replacements > 0) {
    const replaced = [{ name: `F${name}${names}`, records: [] }, ...(refs ?? []).slice(1)];
    const spent = { ...spend(state, 'replacements'), names };
    steps.push([`${name} replaces REFS`, changed(turn, { refs: replaced }, spent)]);
  }
  return steps;
}

/** An entry waits until the bucket has all records of its segments. */
function publishSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine } = turn;
  const { process } = machine;
  const edits = machine.directory.refs ?? [];
  const published = state.spine[process.entry - 1] as Entry;
  if (String(namesOf(edits)) === String(namesOf(published.edits))) return [];
  if (flushedOf(edits).length > process.shipped) return [];
  const number = process.entry + 1;
  const entry: Entry = { nonce: process.nonce, epoch: process.epoch, edits };
  const found = state.spine[number - 1];
  const steps: DirectoryStep[] = [];
  if (state.left.unknowns > 0) {
    steps.push([`${name} publishes ${number} and dies`, dies(turn, { number, entry })]);
  }
  if (found !== undefined && JSON.stringify(found) !== JSON.stringify(entry)) {
    return [...steps, fenced(turn)];
  }
  const spine = found === undefined ? [...state.spine, entry] : state.spine;
  const known = withMachine(turn, { process: { ...process, entry: number } }, { ...state, spine });
  return [...steps, [`${name} publishes ${number}`, known]];
}

/** Files of the local log go once they are flushed and shipped. */
function removalSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine, bounds } = turn;
  const { refs, wal } = machine.directory;
  if (wal === null) return [];
  const { shipped } = machine.process;
  const limit = hasFault(bounds, 'eagerRemoval') ? Infinity : shipped;
  const from = Math.min(flushedOf(refs).length, limit);
  if (from <= wal.from) return [];
  const shorter = { from, records: wal.records.slice(from - wal.from) };
  return [[`${name} removes its log up to ${from}`, changed(turn, { wal: shorter }, state)]];
}
