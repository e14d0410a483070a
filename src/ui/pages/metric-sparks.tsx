/** The sparklines of the list of metrics, loaded as rows become visible. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { loadSparks, sparked, type Spark } from '../data/sparks.js';
import { spreadPath } from '../spark-path.js';
import { printValue } from '../units.js';
import { clock } from '../view.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { TimeStretch } from '../chart/time-scale.js';

/** The pause in scrolling before the server is asked. */
const kRestMs = 200;
const kBox = { width: 96, height: 22 };
const kNone: Spark = [];

interface Sparks {
  readonly of: (metric: string) => Spark | undefined;
  /** Reports the visible metrics. */
  readonly seen: (metrics: readonly MetricDescriptor[]) => void;
}

/** `key` identifies what the lines show. One request runs at a time. */
export function useSparks(window: TimeStretch, key: string): Sparks {
  const known = useRef(new Map<string, Spark>());
  const sight = useRef<readonly MetricDescriptor[]>([]);
  const [, setRound] = useState(0);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    known.current = new Map();
  }, [key]);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const wanted = sight.current.filter(({ metric }) => !known.current.has(metric));
      const metrics = sparked(wanted, window);
      if (metrics.length === 0) return;
      const question = { metrics, window, unit: clock.value.unit };
      loadSparks(question, controller.signal).then(
        (found) => {
          for (const { metric } of metrics) known.current.set(metric, found.get(metric) ?? kNone);
          setRound((one) => one + 1);
        },
        () => {
          // The list works without sparklines.
        },
      );
    }, kRestMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, looks]);
  return {
    of: (metric) => known.current.get(metric),
    seen: (metrics) => {
      const names = (some: readonly MetricDescriptor[]): string =>
        some.map(({ metric }) => metric).join('\n');
      if (names(metrics) === names(sight.current)) return;
      sight.current = metrics;
      setLooks((one) => one + 1);
    },
  };
}

export function MetricSpark({
  spark,
  unit,
}: {
  readonly spark: Spark | undefined;
  readonly unit: string;
}) {
  const values = (spark ?? kNone).filter((value) => value !== null);
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const words = `${printValue(low, unit)} to ${printValue(high, unit)}`;
  return (
    <svg class="spark row" role="img" aria-label={words} viewBox={`0 -1 ${kBox.width} 24`}>
      <title>{words}</title>
      <path d={spreadPath(spark ?? kNone, kBox)} />
    </svg>
  );
}
