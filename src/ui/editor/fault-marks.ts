/** A fault in the text: an underline below it, and a mark beside its line. */

import { StateEffect, StateField, type Extension, type Text } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter, lineNumbers } from '@codemirror/view';

import type { Fault } from './fault.js';

export const showFaults = StateEffect.define<readonly Fault[]>();

interface Shown {
  readonly from: number;
  readonly to: number;
}

const underline = Decoration.mark({ class: 'fault-text' });

const shown = StateField.define<readonly Shown[]>({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(showFaults)) return spansOf(effect.value, transaction.state.doc);
    }
    if (!transaction.docChanged) return value;
    return value.map((one) => {
      const from = transaction.changes.mapPos(one.from);
      return { from, to: Math.max(from, transaction.changes.mapPos(one.to)) };
    });
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => {
      const ranges = value.filter(({ from, to }) => from < to);
      return Decoration.set(
        ranges.map(({ from, to }) => underline.range(from, to)),
        kSorted,
      );
    }),
    EditorView.contentAttributes.from(field, (value) => ({
      'aria-invalid': String(value.length > 0),
    })),
  ],
});

const kSorted = true;

/** What stands behind the end is marked at the last character of the text. */
function spansOf(faults: readonly Fault[], doc: Text): readonly Shown[] {
  return faults.map(({ span }) => {
    const from = Math.min(span.from, doc.length);
    const to = Math.min(span.to, doc.length);
    return from < to ? { from, to } : { from: Math.max(0, from - 1), to: from };
  });
}

class FaultMarker extends GutterMarker {
  override toDOM(): Node {
    const mark = document.createElement('span');
    mark.className = 'fault-mark';
    mark.textContent = '▲';
    mark.title = 'Something is wrong in this line';
    return mark;
  }
}

const marker = new FaultMarker();

export const faultMarks: Extension = [
  shown,
  lineNumbers(),
  gutter({
    class: 'fault-gutter',
    lineMarker: (view, line) => {
      const isHere = view.state
        .field(shown)
        .some(({ from }) => line.from <= from && from <= line.to);
      return isHere ? marker : null;
    },
    lineMarkerChange: (update) =>
      update.startState.field(shown) !== update.state.field(shown) || update.docChanged,
    initialSpacer: () => marker,
  }),
];
