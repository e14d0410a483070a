/** Series of the metric without samples in the window, and their last samples. */

import { useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { findSilentHere, isRankedWhole } from '../data/silent-here.js';
import { lookAddress } from '../links.js';
import { filterOf } from '../statements.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { printTime } from '../zone.js';

import type { Picture } from '../chart/picture.js';
import type { SeriesDescriptor } from '../../client/client.js';
import type { Condition } from '../series-filter.js';

interface SilentOptions {
  readonly metric: string;
  readonly picture: Picture;
  readonly conditions: readonly Condition[];
  readonly by: string | null;
}

/** The most series that are named. */
const kNamedMax = 50;

export function SilentSeries({ metric, picture, conditions, by }: SilentOptions) {
  const [isOpen, setOpen] = useState(false);
  const { ranked, count } = picture;
  const silent = count - ranked.length;
  if (by !== null || silent <= 0 || !isRankedWhole(ranked)) return null;
  return (
    <details
      class="silent"
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{printCount(silent)} without samples here</summary>
      {isOpen ? <Named {...{ metric, picture, conditions }} /> : null}
    </details>
  );
}

function Named({ metric, picture, conditions }: Omit<SilentOptions, 'by'>) {
  const { ranked } = picture;
  const answer = useAnswer<readonly SeriesDescriptor[]>({
    question: (signal) => findSilentHere({ metric, conditions, ranked }, signal),
    key: JSON.stringify([metric, conditions, ranked.map(({ id }) => id)]),
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(series) => (
        <ul>
          {series.slice(0, kNamedMax).map(({ series_id: id, labels, last_ts: last }) => (
            <li key={String(id)}>
              <a href={lookAddress(metric, labels, null)}>{filterOf(labels)}</a>{' '}
              {last === null ? 'never had one' : `last one ${printTime(last, clock.value)}`}
            </li>
          ))}
          {series.length > kNamedMax ? (
            <li>and {printCount(series.length - kNamedMax)} more</li>
          ) : null}
        </ul>
      )}
    </AnswerView>
  );
}
