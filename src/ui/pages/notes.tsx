/** The page Notes: a timeline, a list by day, and a form for new notes. */

import { useRef, useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { curlOf, shellNow } from '../data/curl.js';
import { findNotes, notesMax, seenKinds, seenMetrics, type FoundNotes } from '../data/notes.js';
import { choose, place, settle } from '../location.js';
import { windowOf, type TimeWindow } from '../time-window.js';
import { printCount } from '../units.js';
import { changed, valueIn, type Key } from '../url.js';
import { clock, paceMs, windowText } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Copyable } from '../widgets/copyable.js';
import { Icon } from '../widgets/icons.js';
import { NoteDialog, draftOf, type NoteDraft } from '../widgets/note-dialog.js';
import { NoteLane } from '../widgets/note-lane.js';
import { useWidth } from '../widgets/width.js';
import { printIso, printTime, tsOfMs } from '../zone.js';
import { NoteTable } from './note-table.js';

import type { Annotation } from '../../client/client.js';

export function NotesPage() {
  const [draft, setDraft] = useState<NoteDraft | null>(null);
  const kind = valueIn(place.value, 'kind');
  const metric = valueIn(place.value, 'm');
  const pace = paceMs.value;
  const answer = useAnswer<FoundNotes>({
    question: (signal) => findNotes({ ...boundsOf(lookedAt()), ...filterBy(kind, metric) }, signal),
    key: [windowText.value, clock.value.unit, kind, metric, pace].join(' '),
    againAfterMs: () => pace,
  });
  return (
    <>
      <div class="titled">
        <h1>Notes</h1>
        <button
          type="button"
          class="button main"
          onClick={() => {
            setDraft(newDraft(metric));
          }}
        >
          <Icon name="add" />
          New note
        </button>
      </div>
      <Filters kind={kind} metric={metric} />
      <AnswerView answer={answer}>
        {(found) => (
          <Found
            found={found}
            open={(note) => {
              setDraft(draftOf(note));
            }}
          />
        )}
      </AnswerView>
      {draft === null ? null : (
        <NoteDialog
          draft={draft}
          close={(isChanged) => {
            setDraft(null);
            if (isChanged) answer.again();
          }}
        />
      )}
    </>
  );
}

/** Null: all of time. */
function lookedAt(): TimeWindow | null {
  const text = windowText.value;
  return text === null ? null : windowOf(text, { ...clock.value, nowMs: Date.now() });
}

const boundsOf = (looked: TimeWindow | null) =>
  looked === null ? {} : { start: looked.start, end: looked.end };

const filterBy = (kind: string | null, metric: string | null) => ({
  ...(kind === null ? {} : { kind }),
  ...(metric === null ? {} : { metric }),
});

function newDraft(metric: string | null): NoteDraft {
  const now = tsOfMs(Math.floor(Date.now() / 1000) * 1000, clock.value.unit);
  const texts = { kind: 'deploy', title: '', message: '' };
  return { id: null, ...texts, metric, labels: {}, start: now, end: now };
}

interface NoteFilterOptions {
  readonly kind: string | null;
  readonly metric: string | null;
}

function Filters({ kind, metric }: NoteFilterOptions) {
  return (
    <div class="filters">
      <Choices name="kind" all="all" chosen={kind} options={seenKinds.value} keyOf="kind" />
      <Choices name="metric" all="any" chosen={metric} options={seenMetrics.value} keyOf="m" />
      <input
        type="search"
        aria-label="Filter by text"
        placeholder="Filter by text"
        value={searchedText()}
        onInput={(event) => {
          const text = event.currentTarget.value;
          settle(changed(place.value, { x: text === '' ? null : text }));
        }}
      />
    </div>
  );
}

const searchedText = (): string => valueIn(place.value, 'x') ?? '';

interface NoteChoicesOptions {
  readonly name: string;
  /** The label of the choice "no filter". */
  readonly all: string;
  readonly chosen: string | null;
  readonly options: readonly string[];
  /** The key in the address. */
  readonly keyOf: Key;
}

function Choices({ name, all, chosen, options, keyOf }: NoteChoicesOptions) {
  const shown = chosen === null || options.includes(chosen) ? options : [...options, chosen];
  return (
    <label>
      {name}
      <select
        value={chosen ?? ''}
        onChange={(event) => {
          const text = event.currentTarget.value;
          choose({ [keyOf]: text === '' ? null : text });
        }}
      >
        <option value="">{all}</option>
        {shown.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FoundNotesOptions {
  readonly found: FoundNotes;
  readonly open: (note: Annotation) => void;
}

function Found({ found, open }: FoundNotesOptions) {
  const word = searchedText().toLowerCase();
  const notes = found.notes.filter(({ title, message = '' }) =>
    `${title}\n${message}`.toLowerCase().includes(word),
  );
  if (notes.length === 0) return <None isFiltered={found.notes.length > 0} />;
  return (
    <>
      <Lane notes={notes} open={open} />
      <p class="count">
        {printCount(notes.length)} {notes.length === 1 ? 'note' : 'notes'}.
        {found.isCut ? ` The first ${printCount(notesMax)} in this time are shown: narrow it.` : ''}
      </p>
      <NoteTable notes={notes} open={open} />
    </>
  );
}

/** The lane spans the chosen window, or all notes if the window is all of time. */
function Lane({
  notes,
  open,
}: { readonly notes: readonly Annotation[] } & Omit<FoundNotesOptions, 'found'>) {
  const lane = useRef<HTMLDivElement>(null);
  const width = useWidth(lane);
  const { start, end } = lookedAt() ?? hullOf(notes);
  return (
    <div class="lane-frame">
      <div ref={lane}>
        {width === 0 ? null : (
          <NoteLane
            {...{ notes, start, end, width, open }}
            narrow={(from, to) => {
              const { unit } = clock.value;
              choose({ t: `${printIso(from, unit)}..${printIso(to, unit)}` });
            }}
          />
        )}
      </div>
      <div class="ends quiet">
        <span>{endText(start)}</span>
        <span>{endText(end)}</span>
      </div>
    </div>
  );
}

/** The time at an end of the lane, without fractions of a second. */
const endText = (ts: bigint): string => printTime(ts, clock.value).replace(/\.\d+/, '');

function hullOf(notes: readonly Annotation[]): { readonly start: bigint; readonly end: bigint } {
  const [first] = notes;
  if (first === undefined) return { start: 0n, end: 0n };
  return notes.reduce(
    (hull, note) => ({
      start: note.start < hull.start ? note.start : hull.start,
      end: note.end > hull.end ? note.end : hull.end,
    }),
    { start: first.start, end: first.end },
  );
}

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  const isChosen = valueIn(place.value, 'kind') !== null || valueIn(place.value, 'm') !== null;
  const isWhole = lookedAt() === null && !isChosen;
  const now = shellNow(clock.value.unit);
  const body = `'{"kind":"deploy","title":"version 2","start":${now}}'`;
  return (
    <div class="nothing">
      <p>
        {isFiltered
          ? 'No note has this text.'
          : isWhole
            ? 'There are no notes yet.'
            : 'No notes match in this time range.'}
      </p>
      {isFiltered ? null : (
        <>
          <p>Create one with “New note”, or from a deployment script:</p>
          <Copyable name="Command that writes a note" text={curlOf('annotations/write', body)} />
        </>
      )}
    </div>
  );
}
