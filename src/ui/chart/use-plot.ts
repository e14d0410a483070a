/** Creates, updates and destroys the plot of a chart. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { theme } from '../preferences.js';
import { stylesOf } from './colours.js';
import { loadPlot } from './load-plot.js';
import { thinned } from './thinned.js';
import { useColumns } from './columns.js';
import { widthFor } from '../ladder.js';

import type { ChartOptions } from './chart-options.js';
import type { PlotArea, Plot, PlotScene } from './plot.js';
import type { TimeStretch } from './time-scale.js';

const kNoArea: PlotArea = { left: 60, top: 10, width: 600, height: 280 };

export function useScene(options: ChartOptions, shown: TimeStretch): PlotScene {
  const { picture, hidden, names, unit, clock, scale, lifted } = options;
  const { origin, envelope } = picture;
  const span = [Number(shown.start - origin), Number(shown.end - origin)] as const;
  const columns = useColumns();
  const length = span[1] - span[0];
  const { ticks } = widthFor({ unit: clock.unit, span: length, columns, lines: 1 });
  const painted = useMemo(() => {
    const styles = options.styles ?? stylesOf(picture.lines.map(({ id }) => id));
    return picture.lines
      .filter(({ id }) => !hidden.has(id))
      .map((line) => ({
        line,
        style: styles.get(line.id) ?? { colour: 0, dash: 'solid' as const },
      }));
  }, [picture, hidden, options.styles]);
  const lines = useMemo(() => {
    const { width, window } = picture;
    const lengthTicks = Number(window.end - window.start);
    const perTick = columns / length;
    if (width !== null) {
      const whole = wholeOf({ ticks: width.ticks, lengthTicks, perTick });
      return painted.map((one) => ({ ...one, whole }));
    }
    const look = { origin, span, columns, ticks };
    const whole = wholeOf({ ticks, lengthTicks, perTick });
    return painted.map((one) => {
      const line = thinned(one.line, look);
      return line === one.line ? one : { ...one, line, whole };
    });
  }, [painted, ticks, columns]);
  const { also } = options;
  return { origin, span, lines, envelope, lifted, names, unit, clock, scale, also };
}

/**
 * The widest cut bucket that is left out, in pixels. Without wider ones too much of a line would be
 * missing.
 */
const kCutMaxPx = 12;

interface PlotBuckets {
  readonly ticks: number;
  /** The length of the requested window. */
  readonly lengthTicks: number;
  /** Pixels per tick. */
  readonly perTick: number;
}

/** The starts of the buckets that lie in the window whole; null: draw every bucket. */
function wholeOf({ ticks, lengthTicks, perTick }: PlotBuckets): readonly [number, number] | null {
  return ticks * perTick > kCutMaxPx ? null : [0, lengthTicks - ticks];
}

interface Drawn {
  readonly area: PlotArea;
  readonly plot: Plot | null;
}

/** Redraws after every change, and returns the rectangle of the plot. */
export function usePlot(
  host: { readonly current: HTMLDivElement | null },
  scene: PlotScene,
): Drawn {
  const plot = useRef<Plot | null>(null);
  const [, setLoaded] = useState(0);
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
      setLoaded((one) => one + 1);
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
    // The theme reaches the root element only after all effects ran.
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

const isSame = (one: PlotArea, two: PlotArea): boolean =>
  one.left === two.left &&
  one.width === two.width &&
  one.top === two.top &&
  one.height === two.height;
