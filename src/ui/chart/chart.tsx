/** A chart of lines over time, for eyes, hands and ears. */

import { useComputed, useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { announce } from '../announce.js';
import { theme } from '../preferences.js';
import { stylesOf } from './colours.js';
import { Crosshair, placed, type Cursor } from './crosshair.js';
import { actionOf, type ChartAction } from './keys.js';
import { placeFrom } from './lines.js';
import { loadPlot } from './load-plot.js';
import { listenToPointer, type PointerWishes, type Selection } from './pointer.js';
import { readAt, spoken } from './reading.js';
import {
  moved,
  pixelOf,
  rounded,
  tsAt,
  zoomed,
  type Stretch,
  type TimeScale,
} from './time-scale.js';

import type { Clock } from '../zone.js';
import type { Picture } from './picture.js';
import type { Area, Plot, PlotScene } from './plot.js';
import type { ValueScale } from './value-axis.js';
import type { ComponentChildren } from 'preact';

interface ChartOptions {
  /** `Chart of cpu.usage_user, 20 of 1,000 series, …` */
  readonly label: string;
  readonly picture: Picture;
  /** What is to be seen, the picture's window or one that it is stretched to meanwhile. */
  readonly window: Stretch;
  readonly hidden: ReadonlySet<string>;
  /** The line that is pointed at elsewhere. */
  readonly lifted: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: Clock;
  readonly scale: ValueScale;
  readonly isMean: boolean;
  readonly onWindow: (stretch: Stretch) => void;
  /** One step back from where it was zoomed to. */
  readonly onBack: () => void;
  readonly onAction: (action: ChartAction) => void;
  /** A stretch, or a point, that somebody wants to say something about. */
  readonly onMark?: (stretch: Stretch) => void;
  /** It is dragged or looked at: what comes by itself would disturb. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** What stands below the plot, by its times. */
  readonly lane?: (scale: TimeScale) => ComponentChildren;
  /** Where the picture is taken from, once it is there. */
  readonly canvas?: { current: HTMLCanvasElement | null };
}

const kNoArea: Area = { left: 60, top: 10, width: 600, height: 280 };

export function Chart(options: ChartOptions) {
  const { picture, window: wanted, label, lane } = options;
  const host = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const cursor = useSignal<Cursor | null>(null);
  const selection = useSignal<Selection | null>(null);
  // What hands move is shown before it is asked for.
  const [preview, setPreview] = useState<Stretch | null>(null);
  const shown = preview ?? wanted;
  useEffect(() => {
    setPreview(null);
  }, [wanted.start, wanted.end]);
  const scene = useScene(options, shown);
  const { area, plot } = usePlot(host, scene);
  const scale = { ...shown, left: area.left, width: area.width };
  const live = useRef({ options, scale, scene, plot, preview });
  live.current = { options, scale, scene, plot, preview };
  useHands(over, { live, cursor, selection, setPreview });
  const isEmpty = useComputed(() => cursor.value === null);
  useEffect(() => {
    options.onBusy?.(!isEmpty.value || preview !== null);
  }, [isEmpty.value, preview]);
  if (options.canvas !== undefined) options.canvas.current = plot?.canvas ?? null;
  return (
    <figure
      class="chart"
      aria-label={label}
      aria-roledescription="chart"
      tabIndex={0}
      onKeyDown={(event) => {
        const action = actionOf(event);
        if (action === null || event.target !== event.currentTarget) return;
        if (action.kind !== 'leave' || cursor.value !== null) event.preventDefault();
        act(action, { live: live.current, cursor });
      }}
      onBlur={() => {
        if (cursor.value?.isPinned === false) cursor.value = null;
      }}
    >
      <div class="plot" ref={host} />
      <div
        class="over"
        ref={(element) => {
          over.current = element;
          placed({ left: area.left, top: area.top, width: area.width, height: area.height })(
            element,
          );
        }}
      >
        <Crosshair
          cursor={cursor}
          selection={selection}
          scale={scale}
          scene={scene}
          yOf={(value) => plot?.yOf(value) ?? 0}
          origin={picture.origin}
        />
      </div>
      {lane === undefined ? null : <div class="lane">{lane(scale)}</div>}
    </figure>
  );
}

function useScene(options: ChartOptions, shown: Stretch): PlotScene {
  const { picture, hidden, names, unit, clock, scale, lifted, isMean } = options;
  const { origin, envelope } = picture;
  const lines = useMemo(() => {
    const styles = stylesOf(picture.lines.map(({ id }) => id));
    return picture.lines
      .filter(({ id }) => !hidden.has(id))
      .map((line) => ({
        line,
        style: styles.get(line.id) ?? { colour: 0, dash: 'solid' as const },
      }));
  }, [picture, hidden]);
  const span = [Number(shown.start - origin), Number(shown.end - origin)] as const;
  return { origin, span, lines, envelope, lifted, isMean, names, unit, clock, scale };
}

interface Drawn {
  readonly area: Area;
  readonly plot: Plot | null;
}

/** Draws whenever something is another, and tells where the lines lie then. */
function usePlot(host: { readonly current: HTMLDivElement | null }, scene: PlotScene): Drawn {
  const plot = useRef<Plot | null>(null);
  const latest = useRef(scene);
  latest.current = scene;
  const [area, setArea] = useState(kNoArea);
  const measure = (): void => {
    const found = plot.current?.area ?? kNoArea;
    setArea((before) => (isSame(before, found) ? before : found));
  };
  useEffect(() => {
    const place = host.current;
    if (place === null) return undefined;
    let isGone = false;
    const observer = new ResizeObserver(() => {
      plot.current?.refresh();
      measure();
    });
    void loadPlot().then((Loaded) => {
      if (isGone) return;
      plot.current = new Loaded(place, latest.current);
      measure();
      observer.observe(place);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [host]);
  useEffect(() => {
    // The theme stands at the root only after all that follows it ran.
    const timer = setTimeout(() => {
      plot.current?.refresh();
    });
    return () => {
      clearTimeout(timer);
    };
  }, [theme.value]);
  const { span, lines, envelope, lifted, names, unit, clock, scale } = scene;
  useLayoutEffect(() => {
    plot.current?.show(scene);
    measure();
  }, [span[0], span[1], lines, envelope, lifted, names, unit, clock.zone, scale, scene.origin]);
  return { area, plot: plot.current };
}

const isSame = (one: Area, two: Area): boolean =>
  one.left === two.left &&
  one.width === two.width &&
  one.top === two.top &&
  one.height === two.height;

interface Live {
  readonly options: ChartOptions;
  readonly scale: TimeScale;
  readonly scene: PlotScene;
  readonly plot: Plot | null;
  readonly preview: Stretch | null;
}

interface Hands {
  readonly live: { readonly current: Live };
  readonly cursor: Signal<Cursor | null>;
  readonly selection: Signal<Selection | null>;
  readonly setPreview: (stretch: Stretch | null) => void;
}

function useHands(over: { readonly current: HTMLDivElement | null }, hands: Hands): void {
  useEffect(() => {
    if (over.current === null) return undefined;
    return listenToPointer(over.current, wishesOf(hands));
  }, [over]);
}

/** What hands want, in times. */
function wishesOf({ live, cursor, selection, setPreview }: Hands): PointerWishes {
  const between = (from: number, to: number): Stretch => {
    const { scale } = live.current;
    const [start, end] = [Math.min(from, to), Math.max(from, to)];
    return { start: tsAt(scale, Math.max(0, start)), end: tsAt(scale, Math.min(scale.width, end)) };
  };
  const settle = (stretch: Stretch): void => {
    const { options, scale } = live.current;
    options.onWindow(rounded(stretch, scale.width));
  };
  let panned: Stretch | null = null;
  return {
    point: (at) => {
      if (cursor.value?.isPinned === true) return;
      cursor.value =
        at === null ? null : { ts: tsAt(live.current.scale, at.x), y: at.y, isPinned: false };
    },
    select: (one) => {
      selection.value = one;
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
      cursor.value = { ts: tsAt(live.current.scale, at.x), y: at.y, isPinned };
    },
    back: () => {
      cursor.value = null;
      live.current.options.onBack();
    },
    mark: (from, to) => {
      live.current.options.onMark?.(between(from, to));
    },
    zoomTo: (from, to) => {
      cursor.value = null;
      settle(between(from, to));
    },
  };
}

interface Acting {
  readonly live: Live;
  readonly cursor: Signal<Cursor | null>;
}

function act(action: ChartAction, { live, cursor }: Acting): void {
  const { options, scale } = live;
  if (action.kind === 'pan') options.onWindow(rounded(moved(scale, action.part), scale.width));
  else if (action.kind === 'zoom') zoomByKey(action.factor, { live, cursor });
  else if (action.kind === 'leave') cursor.value = null;
  else if (action.kind === 'mark') {
    const ts = cursor.value?.ts ?? scale.end;
    options.onMark?.({ start: ts, end: ts });
  } else if (action.kind === 'step') step(action.by, { live, cursor });
  else if (action.kind === 'first') step(-Infinity, { live, cursor });
  else if (action.kind === 'last') step(Infinity, { live, cursor });
  else options.onAction(action);
}

/** About the crosshair, where there is one. */
function zoomByKey(factor: number, { live: { options, scale }, cursor }: Acting): void {
  const ts = cursor.value?.ts;
  const part = ts === undefined ? 0.5 : pixelOf(scale, ts) / scale.width;
  options.onWindow(rounded(zoomed(scale, factor, part), scale.width));
}

/** From sample to sample of the line that is lifted, or of the first one. */
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
  announce(spoken(ts, readAt(x, { ...scene, awayOf: null }), scene.clock));
}
