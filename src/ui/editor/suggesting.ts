/** Completion in the editor, opened by typing or Ctrl+Space. */

import { signal } from '@preact/signals';

import { matching, type Match } from './matching.js';
import { replace } from './writing.js';

import type { EditorLanguage } from './language.js';
import type { Suggestions } from './suggestions.js';

/** The pause in typing before the server is asked. */
const kTypingMs = 150;
/** If Tab or Enter comes sooner after the list opens, the user has not seen the list. */
const kUnseenMs = 20;
const kPageRows = 8;

export interface ShownSuggestions {
  readonly matches: readonly Match[];
  readonly chosen: number;
  /** The start of the text that a suggestion replaces. */
  readonly from: number;
  readonly sinceMs: number;
}

/** The loaded suggestions; they replace text up to `behind` letters after the cursor. */
type Offer = Omit<Suggestions, 'to'> & { readonly behind: number };

export class Suggesting {
  readonly shown = signal<ShownSuggestions | null>(null);
  readonly #field: () => HTMLTextAreaElement | null;
  readonly #language: EditorLanguage;
  #offer: Offer | null = null;
  /** Set while suggestions for the typed text are loading. */
  #asking: AbortController | null = null;
  #isTaking = false;

  constructor(field: () => HTMLTextAreaElement | null, language: EditorLanguage) {
    this.#field = field;
    this.#language = language;
  }

  /** `change` is the browser's input type. */
  typed(change: string): void {
    if (this.#isTaking) return;
    const isWriting = change === 'insertText' || change === 'insertCompositionText';
    const isGoingOn = this.shown.value !== null && change.startsWith('delete');
    if (!isWriting && !isGoingOn) {
      this.close();
      return;
    }
    this.#fit();
    this.#askSoon();
  }

  /** True if the suggestions handled the key. */
  press(event: KeyboardEvent): boolean {
    if (isAsking(event)) {
      void this.#ask(true);
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (event.key === 'Escape') this.#asking?.abort();
    // Tab is caught while suggestions are loading, because the user expects one.
    if (this.shown.value === null)
      return event.key === 'Tab' && this.#asking?.signal.aborted === false;
    return this.#act(event.key, this.shown.value);
  }

  take(index: number): void {
    const field = this.#field();
    const option = this.shown.value?.matches[index]?.option;
    const offer = this.#offer;
    this.close();
    if (field === null || option === undefined || offer === null) return;
    this.#isTaking = true;
    const to = field.selectionStart + offer.behind;
    replace(field, { from: offer.from, to, text: option.text });
    this.#isTaking = false;
    if (this.#language.leading.test(option.text)) this.#askSoon();
  }

  close(): void {
    this.#asking?.abort();
    this.#asking = null;
    this.#offer = null;
    this.shown.value = null;
  }

  #act(key: string, shown: ShownSuggestions): boolean {
    const { chosen, matches, sinceMs } = shown;
    const last = matches.length - 1;
    const moved: Readonly<Record<string, number>> = {
      ArrowDown: chosen === last ? 0 : chosen + 1,
      ArrowUp: chosen === 0 ? last : chosen - 1,
      PageDown: Math.min(last, chosen + kPageRows),
      PageUp: Math.max(0, chosen - kPageRows),
    };
    const next = moved[key];
    const isSeen = performance.now() - sinceMs >= kUnseenMs;
    if (next !== undefined) this.shown.value = { ...shown, chosen: next };
    else if (key === 'Escape') this.close();
    else if ((key === 'Tab' || key === 'Enter') && isSeen) this.take(chosen);
    else {
      // The key moves the cursor away.
      if (/^(?:Arrow|Home|End)/.test(key)) this.close();
      return key === 'Tab';
    }
    return true;
  }

  #askSoon(): void {
    this.#asking?.abort();
    const controller = new AbortController();
    this.#asking = controller;
    setTimeout(() => {
      if (!controller.signal.aborted) void this.#ask(false);
    }, kTypingMs);
  }

  async #ask(isExplicit: boolean): Promise<void> {
    const field = this.#field();
    if (field === null) return;
    this.#asking?.abort();
    const controller = new AbortController();
    this.#asking = controller;
    const { signal } = controller;
    const { value: text, selectionStart: at } = field;
    try {
      const { from, to, options } = await this.#language.suggest({ text, at, signal });
      if (signal.aborted) return;
      const isWanted = isExplicit || from < at || this.#isOpened(text.slice(0, at));
      this.#offer = isWanted ? { from, behind: to - at, options } : null;
      this.#fit();
    } catch {
      // A failed request must not interrupt typing.
    } finally {
      if (this.#asking === controller) this.#asking = null;
    }
  }

  /** True if a name or a text may begin behind `before`; a text that just ended opens nothing. */
  #isOpened(before: string): boolean {
    const [quote] = /['"`]$/.exec(before) ?? [];
    const isClosed = quote !== undefined && before.split(quote).length % 2 === 1;
    return !isClosed && this.#language.opening.test(before);
  }

  /** Shows the loaded suggestions that match the typed text. */
  #fit(): void {
    const field = this.#field();
    const offer = this.#offer;
    if (field === null || offer === null) return;
    const { from, options } = offer;
    const { value, selectionStart: at, selectionEnd } = field;
    const isBehind = from <= at && at === selectionEnd;
    const matches = isBehind ? matching(options, value.slice(from, at)) : [];
    if (matches.length === 0) this.#offer = null;
    this.shown.value = matches.length === 0 ? null : this.#kept(matches, from);
  }

  /** Keeps the chosen suggestion. */
  #kept(matches: readonly Match[], from: number): ShownSuggestions {
    const before = this.shown.value;
    const label = before?.matches[before.chosen]?.option.label;
    const at = before?.chosen === 0 ? 0 : matches.findIndex(({ option }) => option.label === label);
    const sinceMs = before?.sinceMs ?? performance.now();
    return { matches, from, sinceMs, chosen: Math.max(0, at) };
  }
}

/** Ctrl+Space; on a Mac, where the system uses it, also Alt+I and Alt+`. */
function isAsking({ code, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (metaKey) return false;
  const isMac = navigator.platform.startsWith('Mac');
  return (ctrlKey && code === 'Space') || (isMac && altKey && /^(?:Backquote|KeyI)$/.test(code));
}
