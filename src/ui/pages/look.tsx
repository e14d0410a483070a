/** The page of one metric. */

import { useEffect } from 'preact/hooks';

import { place } from '../location.js';
import { MetricView } from '../look/metric-view.js';
import { useLook } from '../look/use-look.js';
import { wishOf } from '../look/wish.js';
import { printPlace, placeOfPage } from '../url.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Breakable } from '../widgets/breakable.js';
import { Icon } from '../widgets/icons.js';

export function LookPage() {
  const wish = wishOf(place.value);
  const { answer, onBusy } = useLook(wish);
  const { metric: name } = wish;
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
      {metric === undefined || metric?.metric !== name ? (
        <h1 class="name">
          <Breakable text={name} />
        </h1>
      ) : null}
      {wish.isFilterBad ? (
        <p class="notice" role="alert">
          <Icon name="warning" />
          The filter in the URL is not valid SeriesQL; it is ignored.
        </p>
      ) : null}
      <AnswerView answer={answer} frame={<div class="chart-frame below-tools" />}>
        {(look) =>
          look.metric === null ? (
            <NoMetric name={name} />
          ) : look.metric.metric !== name ? null : (
            <MetricView {...{ look, metric: look.metric, wish, onBusy }} />
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
      <p class="nothing">
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
