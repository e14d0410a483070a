/**
 * The editor of a statement. Its text is in a transparent text field with native input methods,
 * undo, selection and screen reader support. The visible lines lie behind it (lines.tsx) and must
 * wrap where the field wraps.
 */

import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import { Lines, keepInSight } from './lines.js';
import { spansIn } from './painted.js';
import { SuggestionList } from './suggestion-list.js';
import { Suggesting } from './suggesting.js';
import { breakLine, replaceAll } from './writing.js';

import type { TextFault } from './fault.js';
import type { EditorLanguage } from './language.js';

interface EditorOptions {
  readonly language: EditorLanguage;
  readonly text: string;
  /** Increases when the text changes by other means than typing. */
  readonly version: number;
  readonly faults: readonly TextFault[];
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  /** Requests the history entry before (-1) or after (1) the text. */
  readonly onStep: (step: number) => void;
}

export function CodeEditor(options: EditorOptions) {
  const { language, text, version, onText } = options;
  const field = useRef<HTMLTextAreaElement>(null);
  const lines = useRef<HTMLDivElement>(null);
  const list = useId();
  const suggesting = useMemo(() => new Suggesting(() => field.current, language), []);
  const close = (): void => {
    suggesting.close();
  };
  useLayoutEffect(() => close, []);
  useLayoutEffect(() => {
    if (field.current !== null) replaceAll(field.current, text);
  }, [version]);
  // After the first text, which is no typing: it opens no suggestions, and no undo removes it.
  useLayoutEffect(() => {
    if (field.current !== null) begin(field.current);
  }, []);
  useLayoutEffect(() => {
    const { current: written } = field;
    if (written === null || lines.current === null || document.activeElement !== written) return;
    keepInSight(lines.current, text, written.selectionEnd);
  }, [text]);
  const spans = useSpans(options);
  const shown = suggesting.shown.value;
  return (
    <div class="code-editor">
      <div class="code-scroll">
        <div class="code-sheet" data-digits={String(text.split('\n').length).length}>
          <Lines {...{ text, spans }} piecesOf={language.piecesOf} place={lines} />
          <textarea
            {...{ ref: field, rows: 1, spellcheck: false, autocomplete: 'off' }}
            {...{ autocapitalize: 'off', autocorrect: 'off' }}
            aria-label={language.name}
            placeholder={language.placeholder}
            aria-invalid={options.faults.length > 0}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={shown === null ? undefined : list}
            aria-activedescendant={shown === null ? undefined : `${list}-${shown.chosen}`}
            onInput={(event) => {
              onText(event.currentTarget.value);
              if (event instanceof InputEvent) suggesting.typed(event.inputType);
            }}
            onKeyDown={(event) => {
              if (!event.isComposing && press(event, options, suggesting)) event.preventDefault();
            }}
            onMouseDown={close}
            onBlur={close}
          />
        </div>
      </div>
      {shown === null ? null : (
        <SuggestionList
          {...{ id: list, text, shown, lines }}
          take={(index) => {
            suggesting.take(index);
          }}
        />
      )}
    </div>
  );
}

/** Focuses the field, except on touch screens: their keyboard would cover the page. */
function begin(field: HTMLTextAreaElement): void {
  if (!matchMedia('(hover: hover)').matches) return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Underlines move with the text until it has been checked again. */
function useSpans({ text, faults }: EditorOptions) {
  const of = useMemo(() => text, [faults]);
  return useMemo(() => spansIn(text, faults, of), [faults, of, text]);
}

/** True if the editor handled the key. */
function press(event: KeyboardEvent, options: EditorOptions, suggesting: Suggesting): boolean {
  const isWithMod = event.ctrlKey || event.metaKey;
  const acts: Readonly<Record<string, () => void>> = {
    Enter: options.onRun,
    ArrowUp: () => {
      options.onStep(-1);
    },
    ArrowDown: () => {
      options.onStep(1);
    },
  };
  const act = isWithMod && !event.shiftKey && !event.altKey ? acts[event.key] : undefined;
  if (act !== undefined) {
    suggesting.close();
    act();
    return true;
  }
  if (suggesting.press(event)) return true;
  const isBreak = event.key === 'Enter' && !isWithMod && !event.altKey;
  return isBreak && event.target instanceof HTMLTextAreaElement && breakLine(event.target);
}
