/** The dialog that writes, changes and deletes a note. It sends each request once. */

import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { announce } from '../announce.js';
import { deleteNote, saveNote, seenKinds } from '../data/notes.js';
import { sentenceOf } from '../data/fault.js';
import { filterOf } from '../statements.js';
import { readMoment } from '../time-window.js';
import { clock } from '../view.js';
import { printTime } from '../zone.js';
import { FaultNotice } from './fault-notice.js';
import { Field } from './field.js';

import type { Annotation, Labels, NewAnnotation } from '../../client/client.js';

/** The initial values of the dialog. */
export interface NoteDraft {
  /** The id of the note to change; null: a new note. */
  readonly id: bigint | null;
  readonly kind: string;
  readonly title: string;
  readonly message: string;
  /** The metric that the note may be about; null: the user types it. */
  readonly metric: string | null;
  readonly labels: Labels;
  readonly start: bigint;
  readonly end: bigint;
}

/** A draft that changes the note. */
export function draftOf(note: Annotation): NoteDraft {
  const { id, kind, title, message = '', metric, labels, start, end } = note;
  return { id, kind, title, message, metric: metric ?? null, labels, start, end };
}

interface NoteDialogOptions {
  readonly draft: NoteDraft;
  /** `isChanged`: the note was stored or deleted. */
  readonly close: (isChanged: boolean) => void;
}

/** The fields as typed. */
interface WrittenNote {
  readonly kind: string;
  readonly title: string;
  readonly message: string;
  readonly metric: string;
  readonly isOnMetric: boolean;
  readonly isOnLabels: boolean;
  readonly start: string;
  readonly end: string;
}

function writtenOf({ kind, title, message, metric, start, end }: NoteDraft): WrittenNote {
  return {
    ...{ kind, title, message, metric: metric ?? '', isOnMetric: true, isOnLabels: true },
    start: printTime(start, clock.value),
    end: end === start ? '' : printTime(end, clock.value),
  };
}

export function NoteDialog({ draft, close }: NoteDialogOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [written, setWritten] = useState(() => writtenOf(draft));
  const sending = useSending(close);
  const id = useId();
  // Opens before the user can type anything else.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const note = readNote(written, draft.labels);
  const save = (): void => {
    sending.send(note, () => saveNote(draft.id, note as NewAnnotation), 'The note is saved.');
  };
  const name = draft.id === null ? 'New note' : 'Change note';
  return (
    <dialog
      ref={dialog}
      class="card note-dialog"
      aria-labelledby={id}
      onClose={() => {
        close(false);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          save();
        }}
      >
        <h2 id={id}>{name}</h2>
        <NoteFields
          draft={draft}
          written={written}
          change={(part) => {
            setWritten({ ...written, ...part });
          }}
        />
        <FaultNotice text={sending.fault ?? ''} />
        <div class="actions">
          {draft.id === null ? null : <DeleteButton id={draft.id} sending={sending} />}
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button main" disabled={sending.isSending}>
            {sending.isSending ? 'Saving …' : 'Save'}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface Sending {
  readonly isSending: boolean;
  readonly fault: string | null;
  /** `note` may be a sentence that says why the input is invalid. */
  readonly send: (
    note: NewAnnotation | string | null,
    act: () => Promise<unknown>,
    done: string,
  ) => void;
}

/** Sends one request at a time and never retries; typed text stays until it is stored. */
function useSending(close: (isChanged: boolean) => void): Sending {
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const send: Sending['send'] = (note, act, done) => {
    if (isUnderWay.current) return;
    if (typeof note === 'string') {
      setFault(note);
      return;
    }
    isUnderWay.current = true;
    setSending(true);
    setFault(null);
    act().then(
      () => {
        announce(done);
        close(true);
      },
      (error: unknown) => {
        isUnderWay.current = false;
        setSending(false);
        setFault(`Not saved: ${sentenceOf(error)}`);
      },
    );
  };
  return { isSending, fault, send };
}

/** The note, or a sentence that says why the input is invalid. */
function readNote(written: WrittenNote, offered: Labels): NewAnnotation | string {
  const nowMs = Date.now();
  const start = readMoment(written.start.trim(), { clock: clock.value, nowMs });
  if (start === null) return 'The start is not a time: write it as 2026-11-20 10:00, or now-10m.';
  const endText = written.end.trim();
  const end = endText === '' ? start : readMoment(endText, { clock: clock.value, nowMs, start });
  if (end === null) return 'The end is not a time: write it as 2026-11-20 10:30, or +30m.';
  if (end < start) return 'The end is before the start.';
  if (written.title.trim() === '') return 'A note needs a title.';
  if (written.kind.trim() === '') return 'A note needs a kind.';
  const metric = written.isOnMetric ? written.metric.trim() : '';
  const labels = written.isOnLabels ? offered : {};
  return {
    ...{ kind: written.kind.trim(), title: written.title.trim(), start, end },
    ...(written.message.trim() === '' ? {} : { message: written.message }),
    ...(metric === '' ? {} : { metric }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

interface NoteFieldsOptions {
  readonly draft: NoteDraft;
  readonly written: WrittenNote;
  readonly change: (part: Partial<WrittenNote>) => void;
}

function NoteFields({ draft, written, change }: NoteFieldsOptions) {
  return (
    <>
      <Field
        name="Kind"
        value={written.kind}
        options={seenKinds.value}
        write={(kind) => {
          change({ kind });
        }}
      />
      <Field
        name="Title"
        value={written.title}
        hasFocus
        write={(title) => {
          change({ title });
        }}
      />
      <label class="field">
        Message
        <textarea
          rows={3}
          value={written.message}
          onInput={(event) => {
            change({ message: event.currentTarget.value });
          }}
        />
      </label>
      <div class="two">
        <Field
          name="Start"
          value={written.start}
          write={(start) => {
            change({ start });
          }}
        />
        <Field
          name="End"
          value={written.end}
          hint="the same moment, or +30m"
          write={(end) => {
            change({ end });
          }}
        />
      </div>
      <AboutFields draft={draft} written={written} change={change} />
    </>
  );
}

function AboutFields({ draft, written, change }: NoteFieldsOptions) {
  const { metric, labels } = draft;
  const hasLabels = Object.keys(labels).length > 0;
  return (
    <>
      {metric === null ? (
        <Field
          name="Metric"
          value={written.metric}
          hint="empty: everything"
          write={(text) => {
            change({ metric: text });
          }}
        />
      ) : (
        <Check
          isOn={written.isOnMetric}
          change={(isOnMetric) => {
            change({ isOnMetric });
          }}
        >
          Only about {metric}
        </Check>
      )}
      {hasLabels ? (
        <Check
          isOn={written.isOnLabels}
          change={(isOnLabels) => {
            change({ isOnLabels });
          }}
        >
          Only about series with {filterOf(labels)}
        </Check>
      ) : null}
    </>
  );
}

interface CheckOptions {
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
  readonly children: readonly string[];
}

function Check({ isOn, change, children }: CheckOptions) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          change(event.currentTarget.checked);
        }}
      />
      <span>{children}</span>
    </label>
  );
}

/** The first click asks for confirmation in the same button. */
function DeleteButton({ id, sending }: { readonly id: bigint; readonly sending: Sending }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <button
      type="button"
      class="button away"
      disabled={sending.isSending}
      onClick={() => {
        if (isAsked) sending.send(null, () => deleteNote(id), 'The note is deleted.');
        else setAsked(true);
      }}
    >
      {isAsked ? 'Delete it for good' : 'Delete'}
    </button>
  );
}
