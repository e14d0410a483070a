/** What is wrong with a statement while it is written: asked of the parser, then of the server. */

import { useEffect, useState } from 'preact/hooks';

import { SeriesDbError } from '../../client/client.js';
import { ask } from '../data/server.js';
import { faultsIn, readFaults, type Fault } from '../editor/fault.js';
import { statementOf } from './statement.js';

import type { SentText } from '../editor/window-words.js';

/** What is typed comes to rest first, and longer before the server is asked. */
const kTypingMs = 300;
const kRestMs = 500;

const none: readonly Fault[] = [];

/** None: there is none, or none is known yet. */
export function useFaults(written: string, sent: SentText): readonly Fault[] {
  const [faults, setFaults] = useState(none);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer = setTimeout(() => {
      const found = faultsIn(written, sent);
      setFaults(found.length === 0 ? none : found);
      const kind = statementOf(sent.text)?.kind;
      // An EXPLAIN ANALYZE would run.
      if (found.length > 0 || kind === undefined || kind === 'explain') return;
      timer = setTimeout(() => {
        void askServer(written, sent, signal).then((told) => {
          if (!signal.aborted) setFaults(told);
        });
      }, kRestMs);
    }, kTypingMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [written, sent.text]);
  return faults;
}

const kPrefix = 'explain ';

/** EXPLAIN runs nothing, and knows columns, functions and types, which no parser does. */
async function askServer(
  written: string,
  sent: SentText,
  signal: AbortSignal,
): Promise<readonly Fault[]> {
  const text = kPrefix + sent.text;
  try {
    await ask((client) => client.seriesql(text, { signal }));
    return none;
  } catch (error) {
    if (!(error instanceof SeriesDbError) || error.status !== 400) return none;
    const shifted: SentText = {
      text,
      writtenAt: (offset) => sent.writtenAt(Math.max(0, offset - kPrefix.length)),
    };
    return readFaults(error.message, written, shifted);
  }
}
