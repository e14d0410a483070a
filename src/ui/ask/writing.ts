/** The text of the editor. It starts from the address, a draft, or the user. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { SeriesDbError } from '../../client/client.js';
import { token } from '../data/token.js';
import { choose, place } from '../location.js';
import { valueIn } from '../url.js';
import { failed, type Failed } from './run.js';

import type { Drafts } from './draft.js';

interface WritingOptions {
  readonly drafts: Drafts;
  /** True if the result on the page answers this text. */
  readonly isShown: (text: string) => boolean;
  /** True if a link may run this text. */
  readonly isHarmless: (text: string) => boolean;
  readonly send: (text: string) => void;
}

export interface Writing {
  readonly text: string;
  /** Increases when the text changes by other means than typing. */
  readonly version: number;
  readonly typed: (text: string) => void;
  readonly write: (text: string) => void;
  /** Puts the current text into the address and returns it; null if it is empty. */
  readonly begin: () => string | null;
}

export function useWriting(options: WritingOptions): Writing {
  const { drafts, isShown, isHarmless, send } = options;
  const linked = valueIn(place.value, 'q') ?? '';
  const [text, setText] = useState(() => drafts.find(linked) ?? linked);
  // The rendered text may be one key behind the typed text.
  const latest = useRef(text);
  const [version, setVersion] = useState(0);
  const begun = useRef<string | null>(null);
  const typed = (next: string): void => {
    latest.current = next;
    setText(next);
    drafts.keep({ of: begun.current ?? linked, text: next });
  };
  const write = (next: string): void => {
    typed(next);
    setVersion((one) => one + 1);
  };
  useEffect(() => {
    if (begun.current === linked) return;
    const isFirst = begun.current === null;
    begun.current = linked;
    const drafted = isFirst ? drafts.find(linked) : null;
    write(drafted ?? linked);
    const isWanted = linked !== '' && (drafted ?? linked) === linked;
    if (isWanted && !(isFirst && isShown(linked)) && isHarmless(linked)) send(linked);
  }, [linked]);
  const begin = (): string | null => {
    const now = latest.current;
    if (now.trim() === '') return null;
    begun.current = now;
    choose({ q: now });
    drafts.keep({ of: now, text: now });
    return now;
  };
  useToken((refused) => {
    if (isHarmless(refused.written)) send(refused.written);
  });
  return { text, version, typed, write, begin };
}

/** After a 401, a new token repeats the request, unless the statement changes data. */
function useToken(goOn: (refused: Failed) => void): void {
  const secret = token.value;
  useEffect(() => {
    const refused = failed.value;
    const isRefused = refused?.error instanceof SeriesDbError && refused.error.status === 401;
    if (isRefused && secret !== '') goOn(refused);
  }, [secret]);
}
