/**
 * Notes below a plot of the same width: points and ranges, stacked, or counts if there are many.
 * Each note is a button named by its title.
 */

import { layOut, type Lane, type PlacedNote } from '../note-layout.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { printTime } from '../zone.js';
import { NoteShape, noteColour } from './note-sign.js';

import type { Annotation } from '../../client/client.js';

interface LaneOptions {
  readonly notes: readonly Annotation[];
  /** The times at the left and right edges. */
  readonly start: bigint;
  readonly end: bigint;
  /** In pixels. */
  readonly width: number;
  readonly open: (note: Annotation) => void;
  /** Called with the range of a column that shows a count. */
  readonly narrow: (start: bigint, end: bigint) => void;
}

const kRowPx = 26;
/** A narrower title shows no word. */
const kTitleLeastPx = 72;

export function NoteLane({ notes, start, end, width, open, narrow }: LaneOptions) {
  const lane = layOut(notes, { start, end, width });
  return (
    <div class="lane" role="group" aria-label="Notes over time" ref={heightOf(lane)}>
      {lane.kind === 'stacked'
        ? lane.notes.map((placed) => (
            <NoteButton key={placed.note.id} placed={placed} lane={width} open={open} />
          ))
        : lane.columns.map((column) => (
            <button
              key={column.x}
              type="button"
              class="counted"
              ref={placeAt({ ...column, row: 0 })}
              aria-label={`${printCount(column.count)} notes from ${timeText(column.start)}`}
              onClick={() => {
                narrow(column.start, column.end);
              }}
            >
              {printCount(column.count)}
            </button>
          ))}
    </div>
  );
}

const timeText = (ts: bigint): string => printTime(ts, clock.value);

function heightOf<N>(lane: Lane<N>): (place: HTMLElement | null) => void {
  const rows = lane.kind === 'stacked' ? lane.rows : 1;
  return (place) => {
    place?.style.setProperty('height', `${Math.max(1, rows) * kRowPx}px`);
  };
}

type NoteSpot = Pick<PlacedNote<unknown>, 'x' | 'width' | 'row'>;

function placeAt({ x, width, row }: NoteSpot): (place: HTMLElement | null) => void {
  return (place) => {
    place?.style.setProperty('left', `${x}px`);
    place?.style.setProperty('width', `${width}px`);
    place?.style.setProperty('top', `${row * kRowPx}px`);
  };
}

interface ButtonOptions {
  readonly placed: PlacedNote<Annotation>;
  /** The width of the lane. */
  readonly lane: number;
  readonly open: (note: Annotation) => void;
}

function NoteButton({ placed, lane, open }: ButtonOptions) {
  const { note, x, width } = placed;
  const { kind, title, message, start, end } = note;
  const isStretch = end > start;
  const times = isStretch ? `${timeText(start)} to ${timeText(end)}` : timeText(start);
  const side = x > lane / 2 ? 'tip leftwards' : 'tip';
  return (
    <button
      type="button"
      class={`note ${noteColour(kind)} ${isStretch ? 'stretch' : ''}`}
      ref={placeAt(placed)}
      aria-label={`${title}, ${kind}, ${times}`}
      onClick={() => {
        open(note);
      }}
    >
      <NoteShape kind={kind} />
      {isStretch && width >= kTitleLeastPx ? <span class="title">{title}</span> : null}
      <span class={side} aria-hidden="true">
        <b>{title}</b>
        <span>
          {kind} · {times}
        </span>
        {message === undefined ? null : <span>{message}</span>}
      </span>
    </button>
  );
}
