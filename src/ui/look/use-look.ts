/** Requests the chart of a metric, and refreshes it. */

import { useRef } from 'preact/hooks';

import { useColumns } from '../chart/columns.js';
import { useAnswer, type Answer } from '../data/answer.js';
import { loadLook, type Look } from '../data/looks.js';
import { clock, paceMs, windowText } from '../view.js';
import { windowFor } from './fitting-window.js';

import type { LookWish } from './wish.js';

interface Looking {
  readonly answer: Answer<Look>;
  /** Pauses refreshes while the user drags the chart. */
  readonly onBusy: (isBusy: boolean) => void;
}

/** `share` is the chart's share of the page width. */
export function useLook(wish: LookWish, share = 1): Looking {
  const columns = Math.floor(useColumns() * share);
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
          isFitted: text === null,
          windowOf: (known, most) =>
            windowFor(text, known, { ...clock.value, nowMs: Date.now(), most }),
        },
        signal,
      );
      last.current = { key, look };
      return look;
    },
    key: `${key} ${pace}`,
    againAfterMs: (look) => (look?.picture?.window.endsNow === true ? pace : null),
  });
  const onBusy = (busy: boolean): void => {
    isBusy.current = busy;
  };
  return { answer, onBusy };
}
