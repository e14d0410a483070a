/** The buttons of a statement, and its progress. */

import { useEffect, useState } from 'preact/hooks';

import { saving, type DownloadForm } from '../data/download.js';
import { printCount, printSeconds, printValue } from '../units.js';
import { Menu } from '../widgets/menu.js';
import { Icon } from '../widgets/icons.js';
import { seriesqlHistory } from './asked.js';
import { HistoryButton } from './history-button.js';
import { cancelRun, running } from './run.js';

interface AskToolOptions {
  readonly isEmpty: boolean;
  readonly run: () => void;
  readonly explain: () => void;
  readonly save: (format: DownloadForm) => void;
  readonly write: (text: string) => void;
}

const forms = [
  ['csv', 'CSV, for spreadsheets'],
  ['ndjson', 'NDJSON, one object per line'],
] as const;

export function AskTools({ isEmpty, run, explain, save, write }: AskToolOptions) {
  return (
    <div class="ask-tools" role="group" aria-label="Statement">
      <RunButton {...{ isEmpty, run }} />
      <button type="button" class="button" disabled={isEmpty} onClick={explain}>
        Explain
      </button>
      <SaveMenu name="Save all rows" {...{ forms, isEmpty, save }} />
      <HistoryButton history={seriesqlHistory} of="row" take={write} />
    </div>
  );
}

interface SaveToolOptions<Form extends string> {
  readonly name: string;
  /** Each form with its label. */
  readonly forms: readonly (readonly [Form, string])[];
  readonly isEmpty: boolean;
  readonly save: (form: Form) => void;
}

/** The menu that saves an answer in one of several file formats. */
export function SaveMenu<Form extends string>(options: SaveToolOptions<Form>) {
  const { name, forms: choices, isEmpty, save } = options;
  return (
    <Menu icon="save" name={name} shown="Save as">
      {(close) =>
        choices.map(([form, words]) => (
          <button
            key={form}
            type="button"
            class="choice"
            disabled={isEmpty}
            onClick={() => {
              save(form);
              close();
            }}
          >
            {words}
          </button>
        ))
      }
    </Menu>
  );
}

export function RunButton({ isEmpty, run }: Pick<AskToolOptions, 'isEmpty' | 'run'>) {
  return (
    <button type="button" class="button main" disabled={isEmpty} onClick={run}>
      <Icon name="run" />
      Run
      <span class="combination" aria-hidden="true">
        Ctrl+Enter
      </span>
    </button>
  );
}

const kSlowMs = 400;

export function Progress() {
  const now = running.value;
  const [isSlow, setSlow] = useState(false);
  const begun = now?.sinceMs ?? null;
  useEffect(() => {
    setSlow(false);
    if (begun === null) return undefined;
    const timer = setTimeout(() => {
      setSlow(true);
    }, kSlowMs);
    return () => {
      clearTimeout(timer);
    };
  }, [begun]);
  return (
    <div class="answer" aria-busy={now !== null}>
      <Saving />
      {now === null ? null : (
        <div class="waiting">
          <div class="bar" />
          {isSlow ? <Waiting sinceMs={now.sinceMs} rowCount={now.rowCount} /> : null}
        </div>
      )}
    </div>
  );
}

function Saving() {
  const now = saving.value;
  if (now === null) return null;
  return (
    <p class="saving">
      Reading all rows into a file: {printValue(now.sizeBytes, 'bytes')}{' '}
      <button type="button" class="button" onClick={now.cancel}>
        Stop
      </button>
    </p>
  );
}

function Waiting({ sinceMs, rowCount }: { readonly sinceMs: number; readonly rowCount: number }) {
  const [nowMs, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(performance.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  const rows = rowCount === 0 ? '' : `${printCount(rowCount)} rows so far, `;
  return (
    <p>
      Running: {rows}
      {printSeconds(seconds)}{' '}
      <button type="button" class="button" onClick={cancelRun}>
        Cancel
      </button>
    </p>
  );
}
