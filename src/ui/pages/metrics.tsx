/** The page of all metrics, with a search. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { announce } from '../announce.js';
import { useAnswer, type Answer } from '../data/answer.js';
import {
  findMetrics,
  kPageRows,
  loadIndex,
  labelledMetrics,
  metricsAmong,
  noIndex,
  type FoundMetrics,
  type MetricIndex,
} from '../data/metrics.js';
import { place, settle } from '../location.js';
import { inOrder, readOrder, type MetricOrder } from '../data/metric-order.js';
import { printCount } from '../units.js';
import { changed, printPlace, valueIn } from '../url.js';
import { paceMs } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Icon } from '../widgets/icons.js';
import { LoadLink } from './load-link.js';
import { MetricTable } from './metric-table.js';
import { NoMetrics } from './no-metrics.js';

/** An empty database is polled, because the user is about to fill it. */
const kEmptyMs = 5_000;
/** The pause in typing before the server is asked. */
const kTypingMs = 150;

/** The server's order, used if the index is incomplete. */
const byName: MetricOrder = { column: 'metric', isDown: false };
const lastWrittenFirst: MetricOrder = { column: 'seen', isDown: true };
/** The most metrics that are loaded for sorting. */
const kSortedMax = 20_000;

export function MetricsPage() {
  const { answer, more } = useIndex();
  if (answer.value?.metrics.length === 0) return <NoMetrics answer={answer} />;
  const word = valueIn(place.value, 'q') ?? '';
  return (
    <>
      <div class="metrics-head">
        <h1>Metrics</h1>
        <LoadLink />
      </div>
      <Search word={word} />
      <AnswerView answer={answer}>
        {(index) =>
          index.isWhole || word === '' ? (
            <FoundHere {...{ index, word, more }} />
          ) : (
            <FoundByServer index={index} word={word} />
          )
        }
      </AnswerView>
    </>
  );
}

interface GrowingIndex {
  readonly answer: Answer<MetricIndex>;
  readonly more: () => void;
}

/** Loads more metrics as the user scrolls; a refresh loads all of them again. */
function useIndex(): GrowingIndex {
  const pace = paceMs.value;
  const [read, setCount] = useState(kPageRows);
  const isSorted = readOrder(valueIn(place.value, 'sort')) !== null;
  const count = isSorted ? Math.max(read, kSortedMax) : read;
  const known = useRef(noIndex);
  const answer = useAnswer<MetricIndex>({
    question: async (signal) => {
      const isGrowing = !known.current.isWhole && known.current.metrics.length < count;
      known.current = await loadIndex(isGrowing ? known.current : noIndex, count, signal);
      return known.current;
    },
    key: `${pace} ${count}`,
    againAfterMs: (index) => (index?.metrics.length === 0 ? kEmptyMs : pace),
  });
  const more = useCallback(() => {
    const { metrics, isWhole } = known.current;
    if (!isWhole) setCount(metrics.length + kPageRows);
  }, []);
  return { answer, more };
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

/** Enter opens it, the arrow key focuses it. */
const firstFound = (): HTMLElement | null => document.querySelector('main table a.name');

interface FoundMetricsOptions {
  readonly index: MetricIndex;
  readonly word: string;
}

interface Labelled {
  readonly word: string;
  readonly names: ReadonlySet<string>;
}

const kNoNames: ReadonlySet<string> = new Set();

/** The page searches names at once; the server searches labels. */
function FoundHere({ index, word, more }: FoundMetricsOptions & { readonly more: () => void }) {
  const answer = useAnswer<Labelled>({
    question: async (signal) => {
      if (word === '' || !index.isWhole) return { word, names: kNoNames };
      await new Promise((resolve) => setTimeout(resolve, kTypingMs));
      signal.throwIfAborted();
      return { word, names: await labelledMetrics(index.metrics, word, signal) };
    },
    key: word,
    againAfterMs: () => null,
  });
  // The labels found for another word do not count.
  const names = answer.value?.word === word ? answer.value.names : kNoNames;
  const found = useMemo(
    () => metricsAmong(index.metrics, word, names),
    [index.metrics, word, names],
  );
  const isSearching = answer.isLoading && word !== '';
  return <Found {...{ index, word, more, found, isSearching }} />;
}

function FoundByServer({ index, word }: FoundMetricsOptions) {
  const answer = useAnswer<FoundMetrics>({
    question: async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, kTypingMs));
      signal.throwIfAborted();
      return findMetrics(word, index.metrics, signal);
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

interface MetricListOptions extends FoundMetricsOptions {
  readonly found: FoundMetrics;
  /** True while the server searches labels. */
  readonly isSearching?: boolean;
  /** Loads further metrics behind the last one; undefined: there are none. */
  readonly more?: () => void;
}

function Found({ found, index, word, more, isSearching = false }: MetricListOptions) {
  const sentence = countSentence(found, index);
  const chosen = readOrder(valueIn(place.value, 'sort'));
  const isLong = index.metrics.length > kPageRows || !index.isWhole;
  const usual = isLong ? byName : lastWrittenFirst;
  // Search results are sorted by relevance unless the user chose an order.
  const order = chosen ?? (word === '' ? usual : null);
  const metrics = useMemo(
    () => (order === null ? found.metrics : inOrder(found.metrics, order)),
    [found.metrics, order?.column, order?.isDown],
  );
  useEffect(() => {
    if (word !== '') announce(sentence);
  }, [word, sentence]);
  if (found.metrics.length === 0 && isSearching) {
    return <p class="nothing">Searching labels …</p>;
  }
  if (found.metrics.length === 0) {
    return (
      <p class="nothing">
        No metric has “{word}” in its name or in its labels.{' '}
        <a href={printPlace(changed(place.value, { q: null }))}>Show all</a>
      </p>
    );
  }
  return (
    <>
      <p class="count">{sentence}</p>
      <MetricTable
        {...{ metrics, order: order ?? usual, isSorted: order !== null }}
        {...(more === undefined || index.isWhole ? {} : { more })}
      />
    </>
  );
}

function countSentence({ metrics, isCut }: FoundMetrics, index: MetricIndex): string {
  const found = printCount(metrics.length);
  if (isCut) return `More than ${found} metrics: narrow it down.`;
  const all = printCount(index.metrics.length);
  const isAll = metrics.length === index.metrics.length;
  if (!index.isWhole)
    return isAll ? `More than ${all} metrics.` : `${found} of more than ${all} metrics.`;
  if (!isAll) return `${found} of ${all} metrics.`;
  return `${all} ${metrics.length === 1 ? 'metric' : 'metrics'}.`;
}
