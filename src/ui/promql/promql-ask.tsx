/** The PromQL part of the page Ask: editor, run and result. */

import { useMemo } from 'preact/hooks';

import { AskEditor } from '../ask/ask-editor.js';
import { promqlHistory } from '../ask/asked.js';
import { faultsOfServer, useChecks } from '../ask/check.js';
import { promqlDrafts } from '../ask/draft.js';
import { Examples } from '../ask/examples.js';
import { Refusal } from '../ask/fault-line.js';
import { HistoryButton } from '../ask/history-button.js';
import { useRunKeys } from '../ask/run-keys.js';
import { failed, running } from '../ask/run.js';
import { Progress, RunButton, SaveMenu } from '../ask/tools.js';
import { useWriting } from '../ask/writing.js';
import { ask } from '../data/server.js';
import { errorOf } from '../data/fault.js';
import { choose, place } from '../location.js';
import { isSpan } from '../time-window.js';
import { valueIn } from '../url.js';
import { zone } from '../preferences.js';
import { windowText } from '../view.js';
import { Choices, Menu } from '../widgets/menu.js';
import { TextChoice } from '../widgets/text-choice.js';
import { AnswerView } from './answer-view.js';
import { examplesFor } from './examples.js';
import { faultsIn, readFaults } from './faults.js';
import { promql } from './language.js';
import { noSteps, questionOf, type PagePromqlQuestion } from './question.js';
import { ran, run } from './run.js';
import { saveAnswer, saveForms, type SaveForm } from './save.js';

import type { TextFault } from '../editor/fault.js';

export function PromqlAsk() {
  const expression = useExpression();
  const { text, write, start } = expression;
  const { faults, isPlaced } = useFaults(text);
  const failure = failed.value;
  const result = ran.value;
  useRunKeys(start);
  return (
    <>
      <AskEditor {...expression} language={promql} faults={faults} history={promqlHistory} />
      <Tools {...expression} />
      <Progress />
      {failure === null || isPlaced ? null : <Refusal error={failure.error} again={start} />}
      {result === null ? null : (
        <AnswerView result={result} isStale={running.value !== null || failure !== null} />
      )}
      {text.trim() === '' && result === null ? <Examples of={examplesFor} take={write} /> : null}
    </>
  );
}

/**
 * The faults of the typed text; otherwise the faults of the refused text, while it is unchanged.
 */
function useFaults(text: string) {
  const found = useChecks(text, {
    parse: () => faultsIn(text),
    askServer: (signal) =>
      text.trim() === ''
        ? Promise.resolve([])
        : faultsOfServer(
            () => ask((client) => client.formatPromql(text, { signal })),
            (message) => readFaults(message, text),
          ),
  });
  const failure = failed.value;
  const refused = useMemo<readonly TextFault[]>(
    () => (failure?.written === text ? readFaults(failure.error.message, text) : []),
    [failure, text],
  );
  return { faults: found.length > 0 ? found : refused, isPlaced: refused.length > 0 };
}

const isRangeNow = (): boolean => valueIn(place.value, 'over') === 'range';

function questionNow(query: string): PagePromqlQuestion | null {
  return questionOf(query, {
    ...{ window: windowText.value, nowMs: Date.now(), zone: zone.value },
    ...{ isRange: isRangeNow(), step: valueIn(place.value, 'step') },
  });
}

function useExpression() {
  const send = (query: string): void => {
    void run(query, questionNow(query));
  };
  const writing = useWriting({
    drafts: promqlDrafts,
    isShown: (text) => ran.value?.question.query === text,
    isHarmless: () => true,
    send,
  });
  const start = (): void => {
    const now = writing.begin();
    if (now !== null) send(now);
  };
  return { ...writing, start };
}

function Tools({ text, write, start }: ReturnType<typeof useExpression>) {
  const isEmpty = text.trim() === '';
  const layOut = async (): Promise<void> => {
    const formatted = await ask((client) => client.formatPromql(text)).catch(() => text);
    write(formatted);
  };
  return (
    <div class="ask-tools" role="group" aria-label="Expression">
      <RunButton isEmpty={isEmpty} run={start} />
      <Over start={start} />
      {isRangeNow() ? <StepMenu start={start} /> : null}
      <button
        type="button"
        class="button"
        disabled={isEmpty}
        onClick={() => {
          void layOut();
        }}
      >
        Format
      </button>
      <SaveMenu
        {...{ name: 'Save all values', forms: saveForms, isEmpty }}
        save={(form) => {
          void save(text, form);
        }}
      />
      <HistoryButton history={promqlHistory} of="series" take={write} />
    </div>
  );
}

/** A failed download is reported like a failed run. */
async function save(text: string, form: SaveForm): Promise<void> {
  const sent = { text, writtenAt: (offset: number) => offset };
  try {
    const question = questionNow(text);
    if (question === null) throw Error(noSteps);
    await saveAnswer(question, form);
  } catch (error) {
    failed.value = { written: text, sent, error: errorOf(error) };
  }
}

const ways = [
  [null, 'Instant', 'One value of each series, at the end of the time above'],
  ['range', 'Range', 'Values at steps of the time above'],
] as const;

/** Switches between instant and range queries; a change runs the expression. */
function Over({ start }: { readonly start: () => void }) {
  const over = valueIn(place.value, 'over');
  return (
    <div class="either" role="group" aria-label="Times">
      {ways.map(([key, name, told]) => (
        <button
          key={name}
          type="button"
          class="button"
          title={told}
          aria-pressed={key === over}
          onClick={() => {
            choose({ over: key });
            start();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

const commonSteps = ['15s', '1m', '5m', '15m', '1h', '6h', '1d'] as const;

/** Chooses the step of a range query; a change runs the expression. */
function StepMenu({ start }: { readonly start: () => void }) {
  const step = valueIn(place.value, 'step');
  const pick = (chosen: string | null, close: () => void): void => {
    choose({ step: chosen });
    close();
    start();
  };
  return (
    <Menu icon="axis" name="Step" label="Step " shown={step ?? 'auto'}>
      {(close) => (
        <>
          <Choices
            of={[null, ...commonSteps]}
            chosen={step}
            choose={(one) => {
              pick(one, close);
            }}
            wordsOf={(one) => one ?? 'Automatic'}
          />
          <TextChoice
            name="Custom step"
            hint="90s, 2h30m"
            fault="Write it as 90s, 5m or 2h30m."
            take={(own) => {
              if (!isSpan(own)) return false;
              pick(own, close);
              return true;
            }}
          />
        </>
      )}
    </Menu>
  );
}
