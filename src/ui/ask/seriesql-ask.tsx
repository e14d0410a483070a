/** The SeriesQL part of the page Ask: editor, run and result. */

import { useMemo, useState } from 'preact/hooks';

import { AskEditor } from './ask-editor.js';
import { seriesqlHistory } from './asked.js';
import { ChangeDialog } from './change-dialog.js';
import { useFaults } from './check.js';
import { seriesqlDrafts } from './draft.js';
import { examplesFor } from './example-statements.js';
import { Examples } from './examples.js';
import { Refusal } from './fault-line.js';
import { ResultView } from './result-view.js';
import { useRunKeys } from './run-keys.js';
import { failed, ran, run, running, type Failed } from './run.js';
import {
  changeOf,
  explanationOf,
  isHarmless,
  statementOf,
  type StatementChange,
} from './statement.js';
import { AskTools, Progress } from './tools.js';
import { windowValues } from './window-values.js';
import { useWriting } from './writing.js';
import { download, type DownloadForm } from '../data/download.js';
import { readFaults, type TextFault } from '../editor/fault.js';
import { seriesql } from '../editor/seriesql.js';
import { withWindow, type SentText } from '../editor/window-words.js';
import { errorOf } from '../data/fault.js';
import { clock, windowText } from '../view.js';

export function SeriesqlAsk() {
  const statement = useStatement();
  const { text, write, sent, start, send } = statement;
  const found = useFaults(text, sent);
  const failure = failed.value;
  const refused = useMemo(() => faultsOf(failure, text), [failure, text]);
  const faults = found.length > 0 ? found : refused;
  useRunKeys(start);
  return (
    <>
      <AskEditor {...statement} language={seriesql} faults={faults} history={seriesqlHistory} />
      <AskTools
        write={write}
        isEmpty={text.trim() === ''}
        run={start}
        explain={() => {
          send(explanationOf(text));
        }}
        save={(format) => {
          // A statement that changes data cannot be saved as a file; it asks for confirmation
          // instead.
          if (changeOf(sent.text) === null) void save(text, sent, format);
          else start();
        }}
      />
      <Progress />
      {failure === null || refused.length > 0 ? null : (
        <Refusal error={failure.error} again={start} />
      )}
      <Came />
      {text.trim() === '' && ran.value === null ? <Examples of={examplesFor} take={write} /> : null}
      <Asking {...statement} />
    </>
  );
}

/** The last result. It stays after an error and while the next answer is pending. */
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

type UsedStatement = ReturnType<typeof useStatement>;

function Asking({ change, dropChange, send, text }: UsedStatement) {
  if (change === null) return null;
  const close = (): void => {
    dropChange(change);
  };
  return (
    <ChangeDialog
      key={change}
      change={change}
      close={close}
      proceed={() => {
        close();
        send(text);
      }}
    />
  );
}

/** The written text, the text to send, and the change awaiting confirmation. */
function useStatement() {
  const [change, setChange] = useState<ReturnType<typeof changeOf>>(null);
  const shown = windowText.value;
  const at = clock.value;
  const sentOf = (written: string) =>
    withWindow(written, windowValues(shown, { ...at, nowMs: Date.now() }));
  const send = (written: string): void => {
    void run(written, sentOf(written));
  };
  const writing = useWriting({
    drafts: seriesqlDrafts,
    isShown: (text) => ran.value?.written === text,
    isHarmless: (text) => isHarmless(statementOf(sentOf(text).text)),
    send,
  });
  const { text } = writing;
  const sent = useMemo(() => sentOf(text), [text, shown, at]);
  const start = (): void => {
    const now = writing.begin();
    if (now === null) return;
    const asking = changeOf(sentOf(now).text);
    setChange(asking);
    if (asking === null) send(now);
  };
  // The browser tells late that Esc closed a dialog. By then there may be another change.
  const dropChange = (one: StatementChange): void => {
    setChange((now) => (now === one ? null : now));
  };
  return { ...writing, sent, start, send, change, dropChange };
}

/** The faults of the sent text, as long as the editor still shows it. */
function faultsOf(failure: Failed | null, text: string): readonly TextFault[] {
  if (failure?.written !== text) return [];
  return readFaults(failure.error.message, text, failure.sent);
}

/** A failed download is reported like a failed run. */
async function save(written: string, sent: SentText, format: DownloadForm): Promise<void> {
  try {
    await download({ text: sent.text, format, name: 'seriesdb' });
  } catch (error) {
    failed.value = { written, sent, error: errorOf(error) };
  }
}
