/** One metric: its chart, and what is behind it. */

import { useEffect, useRef } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { loadLook, type Look } from '../data/looks.js';
import { place } from '../location.js';
import { useColumns } from '../chart/columns.js';
import { MetricView } from '../look/metric-view.js';
import { windowFor } from '../look/fitting-window.js';
import { wishOf } from '../look/wish.js';
import { paceMs, clock, windowText } from '../view.js';
import { printPlace, placeOfPage } from '../url.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Icon } from '../widgets/icons.js';

export function LookPage() {
  const wish = wishOf(place.value);
  const columns = useColumns();
  const text = windowText.value;
  const pace = paceMs.value;
  const { unit, zone } = clock.value;
  const { metric: name, conditions, by, lines, order, only } = wish;
  const question = { conditions, by, lines, order, only, columns, unit, zone };
  const key = JSON.stringify([name, question, text]);
  const isBusy = useRef(false);
  const last = useRef<{ readonly key: string; readonly look: Look } | null>(null);
  const answer = useAnswer<Look>({
    question: async (signal) => {
      const before = last.current?.key === key ? last.current.look : null;
      if (before !== null && isBusy.current) return before;
      const look = await loadLook(
        {
          ...{ name, wish: question },
          last: before?.picture?.window.endsNow === true ? before : null,
          windowOf: (known) => windowFor(text, known, { ...clock.value, nowMs: Date.now() }),
        },
        signal,
      );
      last.current = { key, look };
      return look;
    },
    key: `${key} ${pace}`,
    againAfterMs: (look) => (look?.picture?.window.endsNow === true ? pace : null),
  });
  useEffect(() => {
    document.title = `${name} · seriesdb`;
  }, [name]);
  if (name === '') return <NoName />;
  const [metric] = [answer.value?.metric];
  return (
    <>
      <a class="back" href={printPlace(placeOfPage('', place.value))}>
        <Icon name="earlier" />
        Metrics
      </a>
      {metric === undefined || metric?.metric !== name ? <h1 class="name">{name}</h1> : null}
      {wish.isFilterBad ? (
        <p class="notice" role="alert">
          <Icon name="warning" />
          The filter of the address is none of SeriesQL; it is left aside.
        </p>
      ) : null}
      <AnswerView answer={answer}>
        {(look) =>
          look.metric === null ? (
            <NoMetric name={name} />
          ) : look.metric.metric !== name ? null : (
            <MetricView
              {...{ look, metric: look.metric, wish }}
              onBusy={(busy) => {
                isBusy.current = busy;
              }}
            />
          )
        }
      </AnswerView>
    </>
  );
}

function NoName() {
  return (
    <>
      <h1>No metric</h1>
      <p>
        The address names none. <a href="#/">All metrics</a>
      </p>
    </>
  );
}

function NoMetric({ name }: { readonly name: string }) {
  return (
    <p class="nothing">
      There is no metric named “{name}”. <a href="#/">All metrics</a>
    </p>
  );
}
