/** What is wrong with what is written, while it is: asked of the parser, then of the server. */

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

interface Checks {
  readonly parse: () => readonly Fault[];
  /** Where the parser finds nothing. */
  readonly askServer: (signal: AbortSignal) => Promise<readonly Fault[]>;
}

/** None: there is none, or none is known yet. Another `key` is another text. */
export function useChecks(key: string, checks: Checks): readonly Fault[] {
  const [faults, setFaults] = useState(none);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer = setTimeout(() => {
      const found = checks.parse();
      setFaults(found.length === 0 ? none : found);
      if (found.length > 0) return;
      timer = setTimeout(() => {
        void checks.askServer(signal).then((told) => {
          if (!signal.aborted) setFaults(told);
        });
      }, kRestMs);
    }, kTypingMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return faults;
}

export function useFaults(written: string, sent: SentText): readonly Fault[] {
  return useChecks(JSON.stringify([written, sent.text]), {
    parse: () => faultsIn(written, sent),
    askServer: (signal) => askServer(written, sent, signal),
  });
}

/** What the server says of a text; none where it refused for another reason. */
export async function faultsOfServer(
  question: () => Promise<unknown>,
  read: (message: string) => readonly Fault[],
): Promise<readonly Fault[]> {
  try {
    await question();
    return none;
  } catch (error) {
    return error instanceof SeriesDbError && error.status === 400 ? read(error.message) : none;
  }
}

const kPrefix = 'explain ';

/** EXPLAIN runs nothing, and knows columns, functions and types, which no parser does. */
async function askServer(
  written: string,
  sent: SentText,
  signal: AbortSignal,
): Promise<readonly Fault[]> {
  const kind = statementOf(sent.text)?.kind;
  // An EXPLAIN ANALYZE would run.
  if (kind === undefined || kind === 'explain') return none;
  const text = kPrefix + sent.text;
  const shifted: SentText = {
    text,
    writtenAt: (offset) => sent.writtenAt(Math.max(0, offset - kPrefix.length)),
  };
  return faultsOfServer(
    () => ask((client) => client.seriesql(text, { signal })),
    (message) => readFaults(message, written, shifted),
  );
}
