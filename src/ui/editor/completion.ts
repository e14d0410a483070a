/** Suggestions in the editor: as somebody writes, or by Ctrl+Space. */

import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  completionStatus,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { Prec, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';

import { keysOf, metricsLike, valuesOf } from './known.js';
import { suggest, type Suggestion } from './suggestions.js';

/** What is typed comes to rest before the server is asked. */
const kTypingMs = 150;
const kShownMax = 50;
/** What is taken sooner was not seen. */
const kUnseenMs = 20;

const knowledge = { metricsLike, keysOf, valuesOf };

/** Values of labels and columns come before functions, where both fit. */
const rank: Readonly<Record<Suggestion['kind'], number>> = {
  ...{ metric: 3, label: 3, value: 3, column: 2, word: 1, function: 0 },
};

async function source(context: CompletionContext): Promise<CompletionResult | null> {
  const controller = new AbortController();
  context.addEventListener(
    'abort',
    () => {
      controller.abort();
    },
    { onDocChange: true },
  );
  const standing = { text: context.state.doc.toString(), at: context.pos };
  try {
    const found = await suggest({ ...standing, signal: controller.signal }, knowledge);
    const isEmpty = found.from === context.pos;
    const isAsked = context.explicit || !isEmpty || isOpening(standing.text, context.pos);
    const typed = standing.text.slice(found.from, context.pos);
    const options = found.options.filter(({ text }) => text.trimEnd() !== typed);
    if (!isAsked || !options.some(({ label }) => isLike(label, typed))) return null;
    return {
      from: found.from,
      to: found.to,
      options: options.map((one) => asCompletion(one, typed)),
    };
  } catch {
    // Who writes is not held up by a server that does not answer.
    return null;
  }
}

/** The letters that are typed stand in it in their order; a quote before them is none. */
function isLike(label: string, typed: string): boolean {
  let at = 0;
  const small = label.toLowerCase();
  for (const letter of typed.replace(/^["']/, '').toLowerCase()) {
    at = small.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Places where something is wanted before a letter of it is typed. */
function isOpening(text: string, at: number): boolean {
  return /(?:\b(?:from|into|for)\s|[{.='"]|=~\s?|[=,({]\s)$/i.test(text.slice(0, at));
}

/** What is compared with what is typed begins with the same quote. */
function asCompletion({ label, text, kind, detail, info }: Suggestion, typed: string): Completion {
  const isQuoted = /^["']/.test(typed);
  return {
    ...{ label: isQuoted ? text : label, displayLabel: label, apply: text, boost: rank[kind] },
    ...(detail === undefined ? {} : { detail }),
    ...(info === undefined ? {} : { info }),
  };
}

function accept(view: EditorView): boolean {
  return acceptCompletion(view) || completionStatus(view.state) === 'active';
}

export const completion: Extension = [
  autocompletion({
    override: [source],
    activateOnTypingDelay: kTypingMs,
    // What ends in a space or in `tag.` is followed by something.
    activateOnCompletion: ({ apply }) => typeof apply === 'string' && /[ .]$/.test(apply),
    interactionDelay: kUnseenMs,
    maxRenderedOptions: kShownMax,
    icons: false,
    aboveCursor: false,
  }),
  // Tab takes what is offered; else it leaves the editor.
  Prec.highest(keymap.of([...completionKeymap, { key: 'Tab', run: accept }])),
];
