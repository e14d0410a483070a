/** A request of a page: its answer, its state, and its refresh. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { errorOf } from './fault.js';
import { returns } from './server.js';
import { token } from './token.js';

export interface Answer<T> {
  /** The last answer. It stays while the next one is pending, and after an error. */
  readonly value: T | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** Cancels the request, on the server too; the last answer stays. */
  readonly cancel: () => void;
  readonly again: () => void;
}

interface Asking<T> {
  readonly question: (signal: AbortSignal) => Promise<T>;
  /** Identifies the request: a new key is a new request. */
  readonly key: string;
  /** The delay until the next refresh; null: no refresh. */
  readonly againAfterMs: (value: T | null) => number | null;
}

/** The pause before a refresh is at least this many times the duration of the last request. */
const kRest = 4;

/** Never two requests at a time, and no automatic one while the tab is hidden. */
export function useAnswer<T>(asking: Asking<T>): Answer<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const controller = useRef<AbortController | null>(null);
  const latest = useRef(asking);
  latest.current = asking;
  const { key } = asking;
  const again = useCallback(() => {
    setRound((one) => one + 1);
  }, []);
  const back = returns.value;
  const secret = token.value;

  useEffect(() => {
    const own = new AbortController();
    controller.current = own;
    let stopWaiting = (): void => undefined;
    const began = performance.now();
    const end = (found: T | null, failure: Error | null): void => {
      if (own.signal.aborted) return;
      if (found !== null) setValue(() => found);
      setError(failure);
      setLoading(false);
      const tookMs = performance.now() - began;
      const waitMs = latest.current.againAfterMs(found);
      if (waitMs !== null) stopWaiting = whenSeen(Math.max(waitMs, tookMs * kRest), again);
    };
    setLoading(true);
    latest.current.question(own.signal).then(
      (found) => {
        end(found, null);
      },
      (failure: unknown) => {
        end(null, errorOf(failure));
      },
    );
    return () => {
      own.abort();
      stopWaiting();
    };
  }, [key, round, back, secret, again]);

  const cancel = useCallback(() => {
    controller.current?.abort();
    setLoading(false);
  }, []);
  return { value, error, isLoading, cancel, again };
}

/**
 * Calls `then` after `waitMs`, or later once the tab is visible. Returns a function that cancels
 * it.
 */
function whenSeen(waitMs: number, then: () => void): () => void {
  const look = (): void => {
    if (document.hidden) return;
    stop();
    then();
  };
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', look);
    look();
  }, waitMs);
  const stop = (): void => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
  return stop;
}
