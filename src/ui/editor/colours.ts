/** The words of a statement in their colours. */

import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';

import { piecesOf, type Look } from './pieces.js';

const marks = new Map<Look, Decoration>();

function markOf(look: Look): Decoration {
  const known = marks.get(look);
  if (known !== undefined) return known;
  const made = Decoration.mark({ class: `ql-${look}` });
  marks.set(look, made);
  return made;
}

function decorationsOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { start, end, look } of piecesOf(view.state.doc.toString())) {
    if (end > start) builder.add(start, end, markOf(look));
  }
  return builder.finish();
}

export const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorationsOf(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) this.decorations = decorationsOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
