/**
 * Where a statement is written. It stands in a shadow, since there its style sheets are objects,
 * which the policy of the page allows; names and roles are found in it as anywhere.
 */

import { closeCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec, Transaction } from '@codemirror/state';
import { EditorView, drawSelection, keymap, placeholder, type KeyBinding } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import { colours } from './colours.js';
import { completion } from './completion.js';
import { faultMarks, showFaults } from './fault-marks.js';
import { theme } from './theme.js';

import type { Fault } from './fault.js';

interface EditorOptions {
  readonly name: string;
  readonly text: string;
  /** Changes where the text is not what was typed, but comes from elsewhere. */
  readonly version: number;
  readonly faults: readonly Fault[];
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  /** An earlier or a later one of those that were run: -1 or 1. */
  readonly onStep: (step: number) => void;
}

export function CodeEditor(options: EditorOptions) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(options);
  latest.current = options;
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const made = openEditor(host.current, latest);
    view.current = made;
    return () => {
      made.destroy();
    };
  }, []);
  useLayoutEffect(() => {
    if (view.current !== null) putText(view.current, latest.current.text);
  }, [options.version]);
  useEffect(() => {
    view.current?.dispatch({ effects: showFaults.of(options.faults) });
  }, [options.faults]);
  return <div class="code-editor" ref={host} />;
}

/** What another one wrote takes the place of all, and the cursor goes behind it. */
function putText(view: EditorView, text: string): void {
  const { doc } = view.state;
  if (doc.toString() === text) return;
  view.dispatch({
    changes: { from: 0, to: doc.length, insert: text },
    selection: { anchor: text.length },
    annotations: Transaction.userEvent.of('input.replace'),
  });
}

function openEditor(host: HTMLElement, latest: { readonly current: EditorOptions }): EditorView {
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const step = (by: number): void => {
    latest.current.onStep(by);
  };
  const run = (): void => {
    latest.current.onRun();
  };
  const ownKeys = [
    ...[
      bound('Mod-Enter', run),
      bound('Mod-ArrowUp', () => {
        step(-1);
      }),
    ],
    bound('Mod-ArrowDown', () => {
      step(1);
    }),
  ];
  const { name, text } = latest.current;
  const state = EditorState.create({
    doc: text,
    selection: { anchor: text.length },
    extensions: [
      ...[history(), drawSelection(), faultMarks, colours, completion, theme],
      ...[EditorView.lineWrapping, typingOver],
      placeholder('select … from … where time >= now() - 1h'),
      Prec.high(keymap.of(ownKeys)),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({ 'aria-label': name, spellcheck: 'false' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onText(update.state.doc.toString());
      }),
    ],
  });
  return new EditorView({ state, parent: shadow, root: shadow });
}

/**
 * A letter in the place of marked ones: left to it, a browser would give it their colours by a
 * style of its own, which the policy forbids.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const isOver = inputType === 'insertText' && data !== null && !event.isComposing;
    if (!isOver || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' }),
    );
    return true;
  },
});

function bound(key: string, act: () => void): KeyBinding {
  const run = (view: EditorView): boolean => {
    closeCompletion(view);
    act();
    return true;
  };
  return { key, run };
}
