/** Checks a statement while it is typed: the parser first, then the server. */

import { useEffect, useState } from 'preact/hooks';

import { SeriesDbError } from '../../client/client.js';
import { ask } from '../data/server.js';
import { faultsIn, readFaults, type TextFault } from '../editor/fault.js';
import { statementOf } from './statement.js';

import type { SentText } from '../editor/window-words.js';

/** The parser waits for a pause in typing; the server waits longer. */
const kTypingMs = 300;
const kRestMs = 500;

const none: readonly TextFault[] = [];

interface Checks {
  readonly parse: () => readonly TextFault[];
  /** Called only if the parser finds nothing. */
  readonly askServer: (signal: AbortSignal) => Promise<readonly TextFault[]>;
}

/** The known faults of a text; empty until a check finds one. Each text has its own `key`. */
export function useChecks(key: string, checks: Checks): readonly TextFault[] {
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

export function useFaults(written: string, sent: SentText): readonly TextFault[] {
  return useChecks(JSON.stringify([written, sent.text]), {
    parse: () => faultsIn(written, sent),
    askServer: (signal) => askServer(written, sent, signal),
  });
}

/** The faults that the server reports; empty if it refused for another reason. */
export async function faultsOfServer(
  question: () => Promise<unknown>,
  read: (message: string) => readonly TextFault[],
): Promise<readonly TextFault[]> {
  try {
    await question();
    return none;
  } catch (error) {
    return error instanceof SeriesDbError && error.status === 400 ? read(error.message) : none;
  }
}

const kPrefix = 'explain ';

/** EXPLAIN runs nothing, and checks columns, functions and types, which the parser cannot. */
async function askServer(
  written: string,
  sent: SentText,
  signal: AbortSignal,
): Promise<readonly TextFault[]> {
  const kind = statementOf(sent.text)?.kind;
  // EXPLAIN ANALYZE would run the statement.
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
