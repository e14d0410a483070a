/** Notes by day, the latest first. */

import { lookAddress } from '../links.js';
import { place } from '../location.js';
import { filterOf } from '../statements.js';
import { changed, placeOfPage, printPlace } from '../url.js';
import { clock } from '../view.js';
import { LongTable } from '../widgets/long-table.js';
import { NoteShape, noteColour } from '../widgets/note-sign.js';
import { epochMs, perSecond, printIso, printTime } from '../zone.js';

import type { Annotation } from '../../client/client.js';

interface NoteTableOptions {
  readonly notes: readonly Annotation[];
  readonly open: (note: Annotation) => void;
}

type NoteRow = { readonly day: string } | { readonly note: Annotation };

export function NoteTable({ notes, open }: NoteTableOptions) {
  const { zone } = clock.value;
  return (
    <LongTable
      name="Notes"
      head={head}
      rows={byDay(notes)}
      keyOf={(row) => ('day' in row ? row.day : `${row.note.id} ${zone}`)}
      classOf={(row) => ('day' in row ? 'day' : 'noted')}
    >
      {(row) => ('day' in row ? <DayCell day={row.day} /> : <Cells note={row.note} open={open} />)}
    </LongTable>
  );
}

function byDay(notes: readonly Annotation[]): readonly NoteRow[] {
  let last = '';
  return notes.flatMap((note): readonly NoteRow[] => {
    const [day = ''] = printTime(note.start, clock.value).split(' ');
    if (day === last) return [{ note }];
    last = day;
    return [{ day }, { note }];
  });
}

const head = (
  <>
    <th scope="col">When</th>
    <th scope="col">Note</th>
    <th scope="col" class="wide">
      About
    </th>
    <th scope="col" class="wide">
      <span class="unseen">Links</span>
    </th>
  </>
);

/** `Saturday, 2026-11-21` */
function DayCell({ day }: { readonly day: string }) {
  const ms = Date.parse(`${day}T00:00:00Z`);
  const named = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
  return (
    <th colSpan={4} scope="rowgroup">
      {Number.isNaN(ms) ? '' : `${named.format(ms)}, `}
      {day}
    </th>
  );
}

interface NoteCellOptions {
  readonly note: Annotation;
  readonly open: (note: Annotation) => void;
}

function Cells({ note, open }: NoteCellOptions) {
  const { kind, title, message, metric, labels } = note;
  return (
    <>
      <td class="when">
        <time>{spanText(note)}</time>
      </td>
      <td>
        <span class={`badge note-kind ${noteColour(kind)}`}>
          <NoteShape kind={kind} /> {kind}
        </span>{' '}
        <button
          type="button"
          class="linkish"
          data-step
          aria-label={`Change “${title}”`}
          onClick={() => {
            open(note);
          }}
        >
          {title}
        </button>
        {message === undefined ? null : <p class="quiet message">{linked(message)}</p>}
      </td>
      <td class="wide">
        {metric === undefined ? null : <span class="name">{metric}</span>}
        {Object.keys(labels).length === 0 ? null : <span class="name">{filterOf(labels)}</span>}
        {metric === undefined && Object.keys(labels).length === 0 ? (
          <span class="quiet">everything</span>
        ) : null}
      </td>
      <td class="wide number">
        <a href={addressOf(note)}>Look</a>
      </td>
    </>
  );
}

/** `03:12 – 03:54 +01:00`; the end has a day if it differs. */
function spanText({ start, end }: Annotation): string {
  const [startDay = '', from = '', offset = ''] = printTime(start, clock.value).split(' ');
  const [endDay = '', to = '', endOffset = ''] = printTime(end, clock.value).split(' ');
  if (start === end) return `${from.slice(0, 8)} ${offset}`;
  const day = startDay === endDay ? '' : `${endDay} `;
  return `${from.slice(0, 8)} – ${day}${to.slice(0, 8)} ${endOffset}`;
}

/** Adds a tenth of the note's length on each side; half an hour for a moment. */
const kAround = 10n;
const kHalfHour = 1_800n;

function addressOf({ metric, labels, start, end }: Annotation): string {
  const { unit } = clock.value;
  const away = end > start ? (end - start) / kAround + 1n : kHalfHour * perSecond(unit);
  const isKnown = epochMs(start, unit) !== null && epochMs(end, unit) !== null;
  const t = isKnown ? `${printIso(start - away, unit)}..${printIso(end + away, unit)}` : 'all';
  if (metric !== undefined) return lookAddress(metric, labels, t);
  return printPlace(changed(placeOfPage('', place.value), { t }));
}

/** Web addresses in the text become links; the rest stays plain text. */
function linked(text: string) {
  return text.split(/(https?:\/\/[^\s<>"']+)/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <a key={at} href={part} rel="noopener noreferrer" target="_blank">
        {part}
      </a>
    ),
  );
}
