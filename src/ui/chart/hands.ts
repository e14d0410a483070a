/** The actions of pointer and keyboard on a chart: crosshair, zoom and pan. */

import { useEffect } from 'preact/hooks';

import { announce } from '../announce.js';
import { placeFrom } from './lines.js';
import { listenToPointer, type PointerWishes, type PointerSelection } from './pointer.js';
import { readAt, spoken, timesOf } from './reading.js';
import {
  moved,
  pixelOf,
  rounded,
  tsAt,
  zoomed,
  type TimeStretch,
  type TimeScale,
} from './time-scale.js';

import type { Signal } from '@preact/signals';
import type { ChartOptions } from './chart-options.js';
import type { ChartCursor } from './crosshair.js';
import type { ChartAction } from './keys.js';
import type { Plot, PlotScene } from './plot.js';

interface Live {
  readonly options: ChartOptions;
  readonly scale: TimeScale;
  readonly scene: PlotScene;
  readonly plot: Plot | null;
  readonly preview: TimeStretch | null;
}

interface Hands {
  readonly live: { readonly current: Live };
  readonly cursor: Signal<ChartCursor | null>;
  readonly selection: Signal<PointerSelection | null>;
  readonly setPreview: (stretch: TimeStretch | null) => void;
}

export function useHands(over: { readonly current: HTMLDivElement | null }, hands: Hands): void {
  useEffect(() => {
    if (over.current === null) return undefined;
    return listenToPointer(over.current, wishesOf(hands));
  }, [over]);
}

/** Converts pointer wishes from pixels to times. */
function wishesOf({ live, cursor, selection, setPreview }: Hands): PointerWishes {
  const between = (from: number, to: number): TimeStretch => {
    const { scale } = live.current;
    const [start, end] = [Math.min(from, to), Math.max(from, to)];
    return { start: tsAt(scale, Math.max(0, start)), end: tsAt(scale, Math.min(scale.width, end)) };
  };
  const settle = (stretch: TimeStretch): void => {
    const { options, scale } = live.current;
    options.onWindow(rounded(stretch, scale.width));
  };
  let panned: TimeStretch | null = null;
  return {
    point: (at) => {
      if (cursor.value?.isPinned === true) return;
      cursor.value =
        at === null ? null : { ts: tsAt(live.current.scale, at.x), y: at.y, isPinned: false };
    },
    select: (one) => {
      selection.value = one;
      live.current.options.onBusy?.(one !== null);
    },
    pan: (pixels) => {
      const { options, scale } = live.current;
      panned ??= live.current.preview ?? options.window;
      setPreview(moved(panned, -pixels / scale.width));
    },
    zoom: (factor, pixel) => {
      const { options, scale, preview } = live.current;
      setPreview(zoomed(preview ?? options.window, factor, pixel / scale.width));
    },
    settle: () => {
      panned = null;
      const { preview } = live.current;
      if (preview !== null) settle(preview);
    },
    click: (at) => {
      const isPinned = cursor.value?.isPinned !== true;
      const ts = tsAt(live.current.scale, at.x);
      cursor.value = { ts, y: at.y, isPinned };
      live.current.options.onPin?.(isPinned ? ts : null);
    },
    back: () => {
      cursor.value = null;
      live.current.options.onBack();
    },
    mark: (from, to) => {
      live.current.options.onMark?.(between(from, to));
    },
    zoomValues: (from, to) => {
      const { options, plot } = live.current;
      if (plot === null) return;
      cursor.value = null;
      options.onValues?.(plot.valueAt(Math.max(from, to)), plot.valueAt(Math.min(from, to)));
    },
    zoomTo: (from, to) => {
      cursor.value = null;
      settle(between(from, to));
    },
  };
}

interface Acting {
  readonly live: Live;
  readonly cursor: Signal<ChartCursor | null>;
}

export function act(action: ChartAction, { live, cursor }: Acting): void {
  const { options, scale } = live;
  if (action.kind === 'pan') options.onWindow(rounded(moved(scale, action.part), scale.width));
  else if (action.kind === 'zoom') zoomByKey(action.factor, { live, cursor });
  else if (action.kind === 'leave') {
    cursor.value = null;
    options.onPin?.(null);
  } else if (action.kind === 'mark') {
    const ts = cursor.value?.ts ?? scale.end;
    options.onMark?.({ start: ts, end: ts });
  } else if (action.kind === 'step') step(action.by, { live, cursor });
  else if (action.kind === 'first') step(-Infinity, { live, cursor });
  else if (action.kind === 'last') step(Infinity, { live, cursor });
  else options.onAction(action);
}

/** Zooms about the crosshair if there is one, otherwise about the middle. */
function zoomByKey(factor: number, { live: { options, scale }, cursor }: Acting): void {
  const ts = cursor.value?.ts;
  const part = ts === undefined ? 0.5 : pixelOf(scale, ts) / scale.width;
  options.onWindow(rounded(zoomed(scale, factor, part), scale.width));
}

/** Moves the crosshair by samples of the highlighted line, or of the first line. */
function step(by: number, { live: { options, scene }, cursor }: Acting): void {
  const { origin } = options.picture;
  const lead = scene.lines.find(({ line }) => line.id === scene.lifted) ?? scene.lines[0];
  if (lead === undefined) return;
  const { xs } = lead.line;
  const first = placeFrom(xs, scene.span[0]);
  const last = placeFrom(xs, scene.span[1] + 1) - 1;
  if (last < first) return;
  const now = cursor.value;
  const outside = by < 0 ? last + 1 : first - 1;
  const from = now === null ? outside : placeFrom(xs, Number(now.ts - origin));
  const at = Math.min(last, Math.max(first, from + by));
  const x = xs[at] ?? 0;
  const ts = origin + BigInt(Math.round(x));
  cursor.value = { ts, y: null, isPinned: false };
  announce(spoken(timesOf(ts, scene), readAt(x, { ...scene, awayOf: null })));
}
