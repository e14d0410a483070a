/** Compares a metric with itself some time earlier. */

import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import { aggregates, type Aggregate, type MetricDescriptor } from '../../client/client.js';
import { Swatch } from '../chart/swatch.js';
import { useAnswer } from '../data/answer.js';
import {
  compareWindows,
  findMetric,
  type ComparedRows,
  type CompareStretch,
} from '../data/compare.js';
import { isForOthers } from '../keys.js';
import { choose, place } from '../location.js';
import { hasShortcuts } from '../preferences.js';
import { earlier, shiftWords, shifts } from '../shift.js';
import { windowOf } from '../time-window.js';
import { changed, printPlace, valueIn } from '../url.js';
import { clock, paceMs, windowText } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { perSecond, printTime } from '../zone.js';
import { CompareChart, nowStyle, thenStyle } from './compare-chart.js';
import { CompareTable } from './compare-table.js';
import { CompareSummary } from './compare-summary.js';
import { MetricChoice, TextFilter } from './compare-fields.js';

const kShift = '7d';
/** Without a chosen time range: the last day of the metric. */
const kDaySeconds = 86_400n;

const chosenShift = (): string => valueIn(place.value, 'shift') ?? kShift;

/** The kind of the last metric, which sets the default aggregate. */
const kindShown = signal('gauge');

/** The mean of a counter says nothing; `delta` is its increase, which the chart shows too. */
function chosenAggregate(kind: string): Aggregate {
  const text = valueIn(place.value, 'agg');
  const fallback = kind === 'counter' ? 'delta' : 'avg';
  return aggregates.find((one) => one === text) ?? fallback;
}

export function ComparePage() {
  const metric = valueIn(place.value, 'm');
  const filter = valueIn(place.value, 'w') ?? '';
  useShiftKeys();
  return (
    <>
      <h1>Compare</h1>
      <div class="filters compare-filters">
        <MetricChoice metric={metric} />
        <TextFilter filter={filter} />
        <Choice
          name="against"
          chosen={chosenShift()}
          options={shifts}
          wordsOf={(one) => `${shiftWords(one)} earlier`}
          take={(shift) => {
            choose({ shift });
          }}
        />
        <Choice
          name="aggregate"
          chosen={chosenAggregate(kindShown.value)}
          options={aggregates}
          wordsOf={(one) => (one === 'delta' && kindShown.value === 'counter' ? 'increase' : one)}
          take={(agg) => {
            choose({ agg });
          }}
        />
      </div>
      {metric === null ? (
        <p class="nothing">Choose a metric to compare it with an earlier time.</p>
      ) : (
        <Described metric={metric} />
      )}
    </>
  );
}

/** `[` and `]` select the previous and next shift. */
function useShiftKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const way = { '[': -1, ']': 1 }[event.key];
      if (way === undefined || hasShortcuts.value === 'off' || isForOthers(event)) return;
      const at = shifts.findIndex((one) => one === chosenShift());
      const next = shifts[at + way];
      if (next !== undefined) choose({ shift: next });
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  }, []);
}

interface CompareChoiceOptions {
  readonly name: string;
  readonly chosen: string;
  readonly options: readonly string[];
  readonly wordsOf: (option: string) => string;
  readonly take: (option: string) => void;
}

function Choice({ name, chosen, options, wordsOf, take }: CompareChoiceOptions) {
  const shown = options.includes(chosen) ? options : [...options, chosen];
  return (
    <label>
      {name}
      <select
        value={chosen}
        onChange={(event) => {
          take(event.currentTarget.value);
        }}
      >
        {shown.map((one) => (
          <option key={one} value={one}>
            {wordsOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Described({ metric }: { readonly metric: string }) {
  const pace = paceMs.value;
  const answer = useAnswer<readonly MetricDescriptor[]>({
    question: (signal) => findMetric(metric, signal),
    key: [metric, pace].join(' '),
    againAfterMs: () => pace,
  });
  return (
    <AnswerView answer={answer}>
      {([descriptor]) =>
        descriptor === undefined ? (
          <p class="nothing">There is no metric with this name.</p>
        ) : (
          <Windows descriptor={descriptor} />
        )
      }
    </AnswerView>
  );
}

function Windows({ descriptor }: { readonly descriptor: MetricDescriptor }) {
  const text = windowText.value;
  const { unit } = clock.value;
  // The window is computed again when the descriptor is loaded, not on every render.
  const now = useMemo(() => windowNow(descriptor, text), [descriptor, text, unit]);
  const shift = chosenShift();
  const filter = valueIn(place.value, 'w') ?? '';
  const aggregate = chosenAggregate(descriptor.kind);
  useEffect(() => {
    kindShown.value = descriptor.kind;
  }, [descriptor.kind]);
  const then =
    now === null
      ? null
      : {
          start: earlier(now.start, shift, clock.value),
          end: earlier(now.end, shift, clock.value),
        };
  const answer = useAnswer<ComparedRows>({
    question: async (signal) => {
      if (now === null || then === null) throw new Error('Choose a time with a beginning.');
      return compareWindows({ descriptor, filter, aggregate, now, then }, signal);
    },
    key: [descriptor.metric, filter, aggregate, now?.start, now?.end, then?.start].join(' '),
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(found) =>
        now === null || then === null ? null : (
          <Compared comparison={found} windows={{ now, then }} descriptor={descriptor} />
        )
      }
    </AnswerView>
  );
}

/** Null: the window is all of time, so there is nothing before it. */
function windowNow(
  { first_ts: first, last_ts: last }: MetricDescriptor,
  text: string | null,
): CompareStretch | null {
  const { unit } = clock.value;
  if (text === null && last !== null) {
    return { start: last - kDaySeconds * perSecond(unit) + 1n, end: last };
  }
  const found = text === null ? null : windowOf(text, { ...clock.value, nowMs: Date.now() });
  if (found !== null) return { start: found.start, end: found.end };
  return first === null || last === null ? null : { start: first, end: last };
}

interface ComparedOptions {
  readonly comparison: ComparedRows;
  readonly windows: { readonly now: CompareStretch; readonly then: CompareStretch };
  readonly descriptor: MetricDescriptor;
}

function Compared({ comparison, windows, descriptor }: ComparedOptions) {
  const shift = shiftWords(chosenShift());
  const aggregate = chosenAggregate(descriptor.kind);
  return (
    <>
      <dl class="windows">
        <div>
          <dt>
            <Swatch look={nowStyle} /> now
          </dt>
          <dd>{stretchText(windows.now)}</dd>
        </div>
        <div>
          <dt>
            <Swatch look={thenStyle} /> {shift} earlier
          </dt>
          <dd>{stretchText(windows.then)}</dd>
        </div>
      </dl>
      {comparison.then.length === 0 ? (
        <p class="notice">{nothingEarlier(descriptor, windows.then, shift)}</p>
      ) : null}
      {comparison.rows.length === 0 ? (
        <p class="nothing">No matching series has samples in either time range.</p>
      ) : (
        <>
          <CompareSummary {...{ comparison, descriptor, aggregate }} />
          <CompareChart
            {...{ comparison, descriptor, windows }}
            filter={valueIn(place.value, 'w') ?? ''}
            shift={chosenShift()}
          />
          {comparison.one === null ? (
            <CompareTable {...{ comparison, descriptor, aggregate, window: windows.now }} />
          ) : (
            <p>
              <a href={printPlace(changed(place.value, { w: null }))}>All series</a>
            </p>
          )}
        </>
      )}
    </>
  );
}

/** To the second; the offset appears once if both ends have the same. */
function stretchText({ start, end }: CompareStretch): string {
  const [from = '', to = ''] = [start, end].map((ts) =>
    printTime(ts, clock.value).replace(/\.\d+/, ''),
  );
  const offset = from.slice(19);
  return `${to.endsWith(offset) ? from.slice(0, 19) : from} – ${to}`;
}

/** `No samples 7 days earlier; the first is of 2026-11-16.` */
function nothingEarlier(
  { first_ts: first }: MetricDescriptor,
  then: CompareStretch,
  shift: string,
): string {
  const sentence = `No samples ${shift} earlier`;
  if (first === null || first <= then.end) return `${sentence}.`;
  return `${sentence}; the first is of ${printTime(first, clock.value).slice(0, 10)}.`;
}
