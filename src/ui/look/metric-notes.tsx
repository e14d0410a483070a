/** Notes below the chart of a metric, and the dialog that adds one. */

import { useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { findNotes, type FoundNotes } from '../data/notes.js';
import { clock } from '../view.js';
import { NoteDialog, draftOf, type NoteDraft } from '../widgets/note-dialog.js';
import { NoteLane } from '../widgets/note-lane.js';

import type { Annotation } from '../../client/client.js';
import type { TimeStretch, TimeScale } from '../chart/time-scale.js';
import type { Condition } from '../series-filter.js';
import type { ComponentChildren } from 'preact';

interface MetricNotesOptions {
  readonly metric: string;
  readonly conditions: readonly Condition[];
  readonly window: TimeStretch;
  readonly paceMs: number | null;
  /** Called with the range of a column that shows a count of notes. */
  readonly narrow: (stretch: TimeStretch) => void;
}

interface MetricNotes {
  readonly lane: (scale: TimeScale) => ComponentChildren;
  /** Opens the dialog for a note on the range. */
  readonly mark: (stretch: TimeStretch) => void;
  readonly dialog: ComponentChildren;
}

export function useMetricNotes(options: MetricNotesOptions): MetricNotes {
  const { metric, conditions, window, paceMs, narrow } = options;
  const [draft, setDraft] = useState<NoteDraft | null>(null);
  const answer = useAnswer<FoundNotes>({
    question: (signal) => findNotes({ start: window.start, end: window.end }, signal),
    key: `${String(window.start)} ${String(window.end)} ${clock.value.unit}`,
    againAfterMs: () => paceMs,
  });
  const labels = exactLabels(conditions);
  const notes = (answer.value?.notes ?? []).filter((note) => isAbout(note, metric, labels));
  return {
    lane: ({ start, end, width }) =>
      notes.length === 0 ? null : (
        <NoteLane
          {...{ notes, start, end, width }}
          open={(note) => {
            setDraft(draftOf(note));
          }}
          narrow={(from, to) => {
            narrow({ start: from, end: to });
          }}
        />
      ),
    mark: (stretch) => {
      const texts = { kind: 'deploy', title: '', message: '' };
      setDraft({ id: null, ...texts, metric, labels, ...stretch });
    },
    dialog:
      draft === null ? null : (
        <NoteDialog
          draft={draft}
          close={(isChanged) => {
            setDraft(null);
            if (isChanged) answer.again();
          }}
        />
      ),
  };
}

function exactLabels(conditions: readonly Condition[]): Readonly<Record<string, string>> {
  const exact = conditions.filter(({ op }) => op === '=');
  return Object.fromEntries(exact.map(({ key, value }) => [key, value]));
}

/** True if the note has no metric or this one, and no label that contradicts the filter. */
function isAbout(
  note: Annotation,
  metric: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (note.metric !== undefined && note.metric !== metric) return false;
  return Object.entries(note.labels).every(
    ([key, value]) => labels[key] === undefined || labels[key] === value,
  );
}
