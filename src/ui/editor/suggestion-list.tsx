/** The list of suggestions below the cursor. */

import { useLayoutEffect, useRef } from 'preact/hooks';

import { letterAt } from './lines.js';

import type { Match } from './matching.js';
import type { ShownSuggestions } from './suggesting.js';
import type { RefObject } from 'preact';

interface SuggestionListOptions {
  readonly id: string;
  readonly text: string;
  readonly shown: ShownSuggestions;
  readonly lines: RefObject<HTMLElement | null>;
  readonly take: (index: number) => void;
}

export function SuggestionList({ id, text, shown, lines, take }: SuggestionListOptions) {
  const box = useRef<HTMLDivElement>(null);
  const { matches, chosen, from } = shown;
  useLayoutEffect(() => {
    if (box.current !== null && lines.current !== null)
      putAt(box.current, letterAt(lines.current, text, from));
  });
  const info = matches[chosen]?.option.info;
  return (
    <div
      class="suggestions"
      ref={box}
      onMouseDown={(event) => {
        // Keeps the focus in the field.
        event.preventDefault();
      }}
    >
      <ul role="listbox" id={id} aria-label="Suggestions">
        {matches.map((match, at) => (
          <li
            key={match.option.label}
            role="option"
            id={`${id}-${at}`}
            aria-selected={at === chosen}
            aria-describedby={at === chosen && info !== undefined ? `${id}-info` : undefined}
            onClick={() => {
              take(at);
            }}
          >
            <Label {...match} />
            <span class="detail">{match.option.detail}</span>
          </li>
        ))}
      </ul>
      {info === undefined ? null : <p id={`${id}-info`}>{info}</p>}
    </div>
  );
}

function Label({ option, typed }: Match) {
  const letters = [...option.label.matchAll(/[^]/g)];
  return (
    <span class="label">
      {letters.map(([letter], at) => (typed.has(at) ? <b key={at}>{letter}</b> : letter))}
    </span>
  );
}

/** Below the letter, or above it if it fits only there; within the editor's width. */
function putAt(box: HTMLElement, letter: DOMRect): void {
  const around = box.parentElement?.getBoundingClientRect();
  if (around === undefined) return;
  const { offsetHeight: height, offsetWidth: width, style } = box;
  const isAbove = letter.bottom + height > innerHeight && letter.top > height;
  style.left = `${Math.max(0, Math.min(letter.left - around.left - kIndent, around.width - width))}px`;
  style.top = `${(isAbove ? letter.top - height : letter.bottom) - around.top}px`;
  const chosen = box.querySelector<HTMLElement>('[aria-selected=true]');
  const list = chosen?.parentElement;
  if (chosen === null || list === null || list === undefined) return;
  // `scrollIntoView` would also scroll the page.
  const { offsetTop: top, offsetHeight: rowHeight } = chosen;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top + rowHeight - list.clientHeight;
}

/** The border and padding left of a label, in pixels, so that labels align with the typed text. */
const kIndent = 13;
