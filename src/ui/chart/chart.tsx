/** A chart of lines over time, for pointer, keyboard and screen reader. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Crosshair, placed, type ChartCursor } from './crosshair.js';
import { act, useHands } from './hands.js';
import { actionOf } from './keys.js';
import { usePlot, useScene } from './use-plot.js';

import type { ChartOptions } from './chart-options.js';
import type { PointerSelection } from './pointer.js';
import type { TimeStretch } from './time-scale.js';

export function Chart(options: ChartOptions) {
  const { picture, window: wanted, label, lane } = options;
  const host = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const { at = null } = options;
  const cursor = useSignal<ChartCursor | null>(
    at === null ? null : { ts: at, y: null, isPinned: true },
  );
  const selection = useSignal<PointerSelection | null>(null);
  // The range of a zoom or pan in progress, shown before the page requests it.
  const [preview, setPreview] = useState<TimeStretch | null>(null);
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
  useEffect(() => {
    options.onBusy?.(preview !== null);
  }, [preview]);
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
          height={area.height}
          origin={picture.origin}
        />
      </div>
      {lane === undefined ? null : (
        <div class="under" ref={placed({ left: area.left, width: area.width })}>
          {lane(scale)}
        </div>
      )}
    </figure>
  );
}
