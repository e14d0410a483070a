/** Every metric of the database, and the search for one. */

import { useEffect } from 'preact/hooks';

import { announce } from '../announce.js';
import { useAnswer } from '../data/answer.js';
import {
  findMetrics,
  loadIndex,
  metricsAmong,
  shownMax,
  type FoundMetrics,
  type MetricIndex,
} from '../data/metrics.js';
import { place, settle } from '../location.js';
import { printCount } from '../units.js';
import { changed, printPlace, valueIn } from '../url.js';
import { paceMs } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Icon } from '../widgets/icons.js';
import { MetricTable } from './metric-table.js';
import { NoMetrics } from './no-metrics.js';

/** An empty database is looked at again by itself: somebody is about to fill it. */
const kEmptyMs = 5_000;
/** What is typed comes to rest before the server is asked. */
const kTypingMs = 150;

export function MetricsPage() {
  const pace = paceMs.value;
  const answer = useAnswer<MetricIndex>({
    question: loadIndex,
    key: String(pace),
    againAfterMs: (index) => (index?.metrics.length === 0 ? kEmptyMs : pace),
  });
  if (answer.value?.metrics.length === 0) return <NoMetrics answer={answer} />;
  const word = valueIn(place.value, 'q') ?? '';
  return (
    <>
      <h1>Metrics</h1>
      <Search word={word} />
      <AnswerView answer={answer}>
        {(index) =>
          index.isWhole || word === '' ? (
            <Found found={metricsAmong(index.metrics, word)} index={index} word={word} />
          ) : (
            <FoundByServer index={index} word={word} />
          )
        }
      </AnswerView>
    </>
  );
}

function Search({ word }: { readonly word: string }) {
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        firstFound()?.click();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        firstFound()?.focus();
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        aria-label="Find metrics"
        placeholder="Find metrics"
        spellcheck={false}
        autocomplete="off"
        value={word}
        onInput={(event) => {
          const text = event.currentTarget.value;
          settle(changed(place.value, { q: text === '' ? null : text }));
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

/** Enter opens it, the arrow goes to it. */
const firstFound = (): HTMLElement | null => document.querySelector('main table a.name');

interface FoundOptions {
  readonly index: MetricIndex;
  readonly word: string;
}

function FoundByServer({ index, word }: FoundOptions) {
  const answer = useAnswer<FoundMetrics>({
    question: async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, kTypingMs));
      signal.throwIfAborted();
      return findMetrics(word, signal);
    },
    key: word,
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(found) => <Found found={found} index={index} word={word} />}
    </AnswerView>
  );
}

function Found({ found, index, word }: FoundOptions & { readonly found: FoundMetrics }) {
  const sentence = countSentence(found, index);
  useEffect(() => {
    if (word !== '') announce(sentence);
  }, [word, sentence]);
  if (found.metrics.length === 0) {
    return (
      <p class="nothing">
        No metric has “{word}” in its name.{' '}
        <a href={printPlace(changed(place.value, { q: null }))}>Show all</a>
      </p>
    );
  }
  return (
    <>
      <p class="count">
        {sentence}
        {found.isCut ? ` The first ${shownMax} are shown: narrow it down.` : ''}
      </p>
      <MetricTable metrics={found.metrics} />
    </>
  );
}

function countSentence({ metrics, isCut }: FoundMetrics, index: MetricIndex): string {
  const all = index.isWhole
    ? printCount(index.metrics.length)
    : `more than ${printCount(index.metrics.length)}`;
  const found = isCut ? `More than ${shownMax}` : printCount(metrics.length);
  if (index.isWhole && metrics.length === index.metrics.length) {
    return `${all} ${metrics.length === 1 ? 'metric' : 'metrics'}.`;
  }
  return `${found} of ${all} metrics.`;
}
