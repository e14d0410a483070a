/** The state of a request: its value, progress or error. */

import { useEffect, useState } from 'preact/hooks';

import { lostAtMs } from '../data/server.js';
import { isTokenWanted } from '../data/token.js';
import { Icon } from './icons.js';

import type { Answer } from '../data/answer.js';
import type { ComponentChildren } from 'preact';

/** The delay before the progress is shown. */
const kSlowMs = 400;

interface AnswerViewOptions<T> {
  readonly answer: Answer<T>;
  /** Reserves the place of the first answer, so that the page does not jump. */
  readonly frame?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

export function AnswerView<T>({ answer, frame, children }: AnswerViewOptions<T>) {
  const { value, error, isLoading } = answer;
  return (
    <div class="answer" aria-busy={isLoading}>
      <Waiting answer={answer} />
      {isLoading && value === null && error === null ? frame : null}
      {error === null ? null : <Failure error={error} again={answer.again} />}
      {value === null ? null : (
        <div class={error === null ? 'came' : 'came stale'}>{children(value)}</div>
      )}
    </div>
  );
}

function Waiting<T>({ answer }: { readonly answer: Answer<T> }) {
  const isSlow = useSlowness(answer.isLoading);
  if (!answer.isLoading) return null;
  return (
    <div class="waiting">
      <div class="bar" />
      {isSlow ? (
        <p>
          Waiting for the server …{' '}
          <button type="button" class="button" onClick={answer.cancel}>
            Cancel
          </button>
        </p>
      ) : null}
    </div>
  );
}

function useSlowness(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!isLoading) return undefined;
    const timer = setTimeout(() => {
      setSlow(true);
    }, kSlowMs);
    return () => {
      clearTimeout(timer);
    };
  }, [isLoading]);
  return isSlow;
}

interface FailureOptions {
  readonly error: Error;
  readonly again: () => void;
}

/** The frame reports a missing token and a silent server, once for all requests. */
function Failure({ error, again }: FailureOptions) {
  if (isTokenWanted.value || lostAtMs.value !== null) return null;
  const code = 'code' in error ? String(error.code) : null;
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <FaultText text={error.message} />
        {code === null ? null : <p class="quiet">{code}</p>}
      </div>
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

/** Errors of a language have a line of the text, and a mark below its column. */
function FaultText({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  const isDrawn = (line: string): boolean => line.startsWith('  ');
  const drawn = lines.filter(isDrawn).join('\n');
  const [first = '', ...rest] = lines.filter((line) => !isDrawn(line));
  return (
    <>
      <p>{first}</p>
      {drawn === '' ? null : <pre>{drawn}</pre>}
      {rest.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </>
  );
}
