/** Statements of SeriesQL: written, run, and what comes of them. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { SeriesDbError } from '../../client/client.js';
import { asked } from '../ask/asked.js';
import { ChangeDialog } from '../ask/change-dialog.js';
import { useFaults } from '../ask/check.js';
import { draftOf, keepDraft } from '../ask/draft.js';
import { Examples } from '../ask/examples.js';
import { FaultLines, Refusal } from '../ask/fault-line.js';
import { HistoryDialog } from '../ask/history-dialog.js';
import { ResultView } from '../ask/result-view.js';
import { cancelRun, failed, ran, run, running, type Failed } from '../ask/run.js';
import { changeOf, explanationOf, isHarmless, statementOf } from '../ask/statement.js';
import { AskTools, Progress } from '../ask/tools.js';
import { windowValues } from '../ask/window-values.js';
import { download, type FileForm } from '../data/download.js';
import { token } from '../data/token.js';
import { CodeEditor } from '../editor/code-editor.js';
import { readFaults, type Fault } from '../editor/fault.js';
import { withWindow, type SentText } from '../editor/window-words.js';
import { choose, place } from '../location.js';
import { valueIn } from '../url.js';
import { clock, windowText } from '../view.js';

export function AskPage() {
  const statement = useStatement();
  const { text, version, typed, write, sent, start, send } = statement;
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const found = useFaults(text, sent);
  const failure = failed.value;
  const refused = useMemo(() => faultsOf(failure, text), [failure, text]);
  const faults = found.length > 0 ? found : refused;
  useKeys(start);
  return (
    <>
      <h1>Ask</h1>
      <div class="ask-editor">
        <CodeEditor
          name="SeriesQL statement"
          {...{ text, version, faults }}
          onText={typed}
          onRun={start}
          onStep={(step) => {
            write(stepped(text, step));
          }}
        />
      </div>
      {faults.length === 0 ? null : (
        <FaultLines
          faults={faults}
          mend={(fault) => {
            write(mended(text, fault));
          }}
        />
      )}
      <AskTools
        isEmpty={text.trim() === ''}
        run={start}
        explain={() => {
          send(explanationOf(text));
        }}
        save={(format) => {
          // What changes data is no file: it asks first.
          if (changeOf(sent.text) === null) void save(text, sent, format);
          else start();
        }}
        openHistory={() => {
          setHistoryOpen(true);
        }}
      />
      <Progress />
      {failure === null || refused.length > 0 ? null : (
        <Refusal error={failure.error} again={start} />
      )}
      <Came />
      {text.trim() === '' && ran.value === null ? <Examples take={write} /> : null}
      <Asking {...statement} />
      {isHistoryOpen ? (
        <HistoryDialog
          close={() => {
            setHistoryOpen(false);
          }}
          take={(one) => {
            write(one);
            setHistoryOpen(false);
          }}
        />
      ) : null}
    </>
  );
}

/** The last answer; behind a refusal and while another is awaited it stays. */
function Came() {
  const result = ran.value;
  if (result === null) return null;
  return (
    <ResultView
      result={result}
      isStale={running.value !== null || failed.value !== null}
      onAll={() => {
        void save(result.written, result.sent, 'csv');
      }}
    />
  );
}

type Statement = ReturnType<typeof useStatement>;

function Asking({ change, dropChange, send, text }: Statement) {
  if (change === null) return null;
  return (
    <ChangeDialog
      change={change}
      close={dropChange}
      proceed={() => {
        dropChange();
        send(text);
      }}
    />
  );
}

function mended(text: string, { span, meant }: Fault): string {
  return text.slice(0, span.from) + (meant ?? '') + text.slice(span.to);
}

/** The text, what is sent for it, and how it is begun: by the address, or by somebody. */
function useStatement() {
  const linked = valueIn(place.value, 'q') ?? '';
  const [text, setText] = useState(() => draftOf(linked) ?? linked);
  // What is shown may be a key behind what is typed.
  const latest = useRef(text);
  const [version, setVersion] = useState(0);
  const [change, setChange] = useState<ReturnType<typeof changeOf>>(null);
  const begun = useRef<string | null>(null);
  const shown = windowText.value;
  const { unit } = clock.value;
  const sentOf = (written: string) =>
    withWindow(written, windowValues(shown, { unit, nowMs: Date.now() }));
  const sent = useMemo(() => sentOf(text), [text, shown, unit]);
  const send = (written: string): void => {
    void run(written, sentOf(written));
  };
  const typed = (next: string): void => {
    latest.current = next;
    setText(next);
    keepDraft({ of: begun.current ?? linked, text: next });
  };
  const write = (next: string): void => {
    typed(next);
    setVersion((one) => one + 1);
  };
  const start = (): void => {
    const now = latest.current;
    if (now.trim() === '') return;
    begun.current = now;
    choose({ q: now });
    keepDraft({ of: now, text: now });
    const asking = changeOf(sentOf(now).text);
    setChange(asking);
    if (asking === null) send(now);
  };
  useEffect(() => {
    if (begun.current === linked) return;
    const isFirst = begun.current === null;
    begun.current = linked;
    const drafted = isFirst ? draftOf(linked) : null;
    write(drafted ?? linked);
    const isShown = ran.value?.written === linked;
    const isWanted = linked !== '' && (drafted ?? linked) === linked && !(isFirst && isShown);
    if (isWanted && isHarmless(statementOf(sentOf(linked).text))) send(linked);
  }, [linked]);
  const secret = token.value;
  useEffect(() => {
    // What was refused for the want of a token goes on with one, unless it changes something.
    const refused = failed.value;
    const isWanted = refused?.error instanceof SeriesDbError && refused.error.status === 401;
    if (isWanted && secret !== '' && isHarmless(statementOf(refused.sent.text))) {
      send(refused.written);
    }
  }, [secret]);
  const dropChange = (): void => {
    setChange(null);
  };
  return { text, version, typed, write, sent, start, send, change, dropChange };
}

/** Faults of the text that was sent, as long as that stands there. */
function faultsOf(failure: Failed | null, text: string): readonly Fault[] {
  if (failure?.written !== text) return [];
  return readFaults(failure.error.message, text, failure.sent);
}

/** From what is written to an earlier or a later one of those that were run. */
function stepped(text: string, step: number): string {
  const list = asked.value;
  const at = list.findIndex((one) => one.text === text);
  const next = at < 0 ? (step < 0 ? 0 : -1) : at - step;
  return list[next]?.text ?? text;
}

/** What goes wrong is told as of a statement that is run. */
async function save(written: string, sent: SentText, format: FileForm): Promise<void> {
  try {
    await download({ text: sent.text, format, name: 'seriesdb' });
  } catch (error) {
    failed.value = { written, sent, error: error instanceof Error ? error : Error(String(error)) };
  }
}

/** Ctrl+Enter runs from anywhere on the page, Esc ends it. */
function useKeys(start: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (isRun) start();
      else if (event.key === 'Escape' && running.value !== null) cancelRun();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  });
}
