/** The steps of a follower that reads the spine and the log, in the protocol model. */
import {
  isBelow,
  isSeal,
  isSealedAt,
  placeKey,
  type Entry,
  type Place,
  type ProtocolFault,
  type ProtocolState,
  type ProtocolStep,
  type Reader,
} from './protocol-state.js';
import { entryAt } from './protocol-store.js';

/** The place of the next record: an end that an entry names leads to the next epoch. */
export function skipEnds(place: Place, ends: readonly Place[]): Place {
  let at = place;
  while (isSealedAt(ends, at)) at = [at[0] + 1, 1];
  return at;
}

export function readerSteps(
  state: ProtocolState,
  reader: Reader,
  fault: ProtocolFault | null,
): ProtocolStep[] {
  const steps: ProtocolStep[] = [];
  const entry = entryAt(state, reader.entry + 1);
  if (entry !== null) {
    const adopted = { ...state, reader: withEntry(reader, entry) };
    steps.push([`the reader has entry ${reader.entry + 1}`, adopted]);
  }
  const ends = entryAt(state, reader.entry)?.ends ?? [];
  const value = state.log[placeKey(reader.place)];
  if (value === undefined) return steps;
  if (!isSeal(value)) {
    const place = skipEnds([reader.place[0], reader.place[1] + 1], ends);
    const applied = [...reader.applied, value];
    steps.push([`the reader has ${value}`, { ...state, reader: { ...reader, place, applied } }]);
  } else if (fault === 'moveAtSeal') {
    const place: Place = [reader.place[0] + 1, 1];
    steps.push(['the reader leaves the epoch', { ...state, reader: { ...reader, place } }]);
  }
  return steps;
}

/** A reader below the floor jumps there, and drops all that it applied. */
function withEntry(reader: Reader, entry: Entry): Reader {
  const { records, floor } = entry.state;
  const isJump = isBelow(reader.place, floor);
  return {
    entry: reader.entry + 1,
    place: skipEnds(isJump ? floor : reader.place, entry.ends),
    records,
    applied: isJump ? [] : reader.applied.filter((one) => !records.includes(one)),
  };
}
