/** The shared parts of the health lists: request, search and count. */

import { useEffect } from 'preact/hooks';

import { announce } from '../announce.js';
import { useAnswer, type Answer } from '../data/answer.js';
import { heldMax, type HeldList } from '../data/health.js';
import { choose, place, settle } from '../location.js';
import { printCount } from '../units.js';
import { lookAddress } from '../links.js';
import { changed, valueIn } from '../url.js';
import { AnswerView } from '../widgets/answer-view.js';

import type { ComponentChildren } from 'preact';
import type { MetricHealth } from '../../client/client.js';

/** The pause in typing before the server is asked. */
const kTypingMs = 150;

interface ListQuestion {
  /** Finds metrics whose names start with `prefix`; empty: all. */
  readonly find: (prefix: string, signal: AbortSignal) => Promise<HeldList<MetricHealth>>;
  readonly key: string;
}

export interface MetricList {
  readonly rows: readonly MetricHealth[];
  /** True if there are more rows than the page holds. */
  readonly isCut: boolean;
  /** The number of rows before the search. */
  readonly count: number;
}

/** The page searches a complete list; otherwise the server searches by prefix. */
export function useMetricList({ find, key }: ListQuestion): Answer<MetricList> {
  const word = searchedWord();
  const whole = useAnswer<HeldList<MetricHealth>>({
    question: (signal) => find('', signal),
    key,
    againAfterMs: () => null,
  });
  const isServers = whole.value?.isCut === true && word !== '';
  const begun = useAnswer<HeldList<MetricHealth>>({
    question: async (signal) => {
      if (!isServers) return { rows: [], isCut: false };
      await new Promise((resolve) => setTimeout(resolve, kTypingMs));
      signal.throwIfAborted();
      return find(word, signal);
    },
    key: isServers ? `${key} ${word}` : '',
    againAfterMs: () => null,
  });
  const used = isServers ? begun : whole;
  return { ...used, value: used.value === null ? null : among(used.value, isServers ? '' : word) };
}

function among({ rows, isCut }: HeldList<MetricHealth>, word: string): MetricList {
  const wanted = word.toLowerCase();
  const found = rows.filter(({ metric }) => metric.toLowerCase().includes(wanted));
  return { rows: found, isCut, count: rows.length };
}

/** `12 metrics have a silent series.`, and a hint if rows are missing. */
export function ListCount({ list, what }: { readonly list: MetricList; readonly what: string }) {
  const { rows, isCut, count } = list;
  const all = `${isCut ? 'more than ' : ''}${printCount(count)}`;
  const found = rows.length === count ? all : `${printCount(rows.length)} of ${all}`;
  const sentence = `${found} ${count === 1 ? 'metric' : 'metrics'} ${what}.`;
  useEffect(() => {
    announce(sentence);
  }, [sentence]);
  const cut = ` The first ${printCount(heldMax)} are shown: say how the name begins.`;
  return (
    <p class="count">
      {sentence[0]?.toUpperCase()}
      {sentence.slice(1)}
      {isCut ? cut : ''}
    </p>
  );
}

interface HealthListOptions {
  readonly answer: Answer<MetricList>;
  /** Shown before the filter. */
  readonly choice?: ComponentChildren;
  readonly save: (list: MetricList) => ComponentChildren;
  /** Shown if the list is empty. */
  readonly none: ComponentChildren;
  readonly children: (list: MetricList) => ComponentChildren;
}

/** A health list with its filter and its save button. */
export function FilteredList({ answer, choice, save, none, children }: HealthListOptions) {
  return (
    <>
      <div class="filters">
        {choice}
        <NameFilter />
        {answer.value === null ? null : save(answer.value)}
      </div>
      <AnswerView answer={answer}>
        {(list) => {
          if (list.count === 0) return none;
          return list.rows.length === 0 ? <NoMatch /> : children(list);
        }}
      </AnswerView>
    </>
  );
}

const NoMatch = () => (
  <p class="nothing">No metric of this list has “{searchedWord()}” in its name.</p>
);

/** The text that names of shown metrics contain. */
const searchedWord = (): string => valueIn(place.value, 'q') ?? '';

function NameFilter() {
  return (
    <input
      type="search"
      aria-label="Filter by name"
      placeholder="Filter by name"
      spellcheck={false}
      autocomplete="off"
      value={searchedWord()}
      onInput={(event) => {
        const text = event.currentTarget.value;
        settle(changed(place.value, { q: text === '' ? null : text }));
      }}
    />
  );
}

/** Toggles the details of a row; `m` in the address names the open row. */
function OpenButton({ metric }: { readonly metric: string }) {
  const isOpen = openMetric() === metric;
  return (
    <button
      type="button"
      class="opener"
      data-step
      aria-expanded={isOpen}
      aria-label={`Details of ${metric}`}
      onClick={() => {
        choose({ m: isOpen ? null : metric, k: null });
      }}
    />
  );
}

interface NameOptions {
  readonly metric: string;
  readonly children?: ComponentChildren;
}

/** A metric's name, and the button that opens its row. */
export function NameCell({ metric, children }: NameOptions) {
  return (
    <th scope="row">
      <OpenButton metric={metric} />
      <span class="name">{metric}</span>
      {children}
    </th>
  );
}

export const LookCell = ({ metric }: { readonly metric: string }) => (
  <td class="wide number">
    <a href={lookAddress(metric)}>Look</a>
  </td>
);

export const openMetric = (): string | null => valueIn(place.value, 'm');
