/** The chart's window in the address. */

import { useRef } from 'preact/hooks';

import { choose, place } from '../location.js';
import { chosenZone, zone } from '../preferences.js';
import { allTime } from '../time-window.js';
import { valueIn } from '../url.js';
import { clock } from '../view.js';
import { printIso } from '../zone.js';

import type { ChartAction } from '../chart/keys.js';
import type { TimeStretch } from '../chart/time-scale.js';

interface Zooms {
  readonly look: (stretch: TimeStretch) => void;
  /** Undoes the last zoom, if one was made here. */
  readonly back: () => void;
  /** Makes a choice that `back` undoes like a zoom. */
  readonly zoomed: (choose: () => void) => void;
}

export function useZooms(): Zooms {
  const steps = useRef(0);
  const zoomed = (change: () => void): void => {
    steps.current += 1;
    change();
  };
  return {
    zoomed,
    look: (stretch) => {
      zoomed(() => {
        choose({ t: textOf(stretch) });
      });
    },
    back: () => {
      if (steps.current === 0) return;
      steps.current -= 1;
      history.back();
    },
  };
}

function textOf({ start, end }: TimeStretch): string {
  const { unit } = clock.value;
  return `${printIso(start, unit)}..${printIso(end, unit)}`;
}

export function actOn({ kind }: ChartAction): void {
  if (kind === 'all') choose({ t: allTime });
  if (kind === 'live') choose({ live: valueIn(place.value, 'live') === null ? '5s' : null });
  if (kind === 'zone') swapZone();
}

/** Switches between UTC and the page's zone. */
export function swapZone(): void {
  chosenZone.value = zone.value === 'UTC' ? '' : 'UTC';
}
