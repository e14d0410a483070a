/** The crosshair and tooltip above the lines. */

import { readAt, timesOf, type ReadValue, type ChartReading } from './reading.js';
import { pixelOf, type TimeScale } from './time-scale.js';
import { Swatch } from './swatch.js';

import type { Signal } from '@preact/signals';
import type { PlotScene } from './plot.js';
import type { PointerSelection } from './pointer.js';

export interface ChartCursor {
  readonly ts: bigint;
  /** Pixels from the top of the plot; null: the keyboard moved it. */
  readonly y: number | null;
  /** True if it stays in place until the next click. */
  readonly isPinned: boolean;
}

interface CrosshairOptions {
  readonly cursor: Signal<ChartCursor | null>;
  readonly selection: Signal<PointerSelection | null>;
  readonly scale: TimeScale;
  readonly scene: PlotScene;
  readonly yOf: (value: number) => number;
  /** The height of the plot in pixels; values beyond it have no point. */
  readonly height: number;
  readonly origin: bigint;
}

type Placing = Readonly<Partial<Record<'left' | 'top' | 'width' | 'height', number>>>;

/** Sets style properties by script, because the page's content policy blocks style attributes. */
export const placed = (place: Placing) => (element: HTMLElement | null) => {
  if (element === null) return;
  for (const [name, pixels] of Object.entries(place)) {
    element.style.setProperty(name, `${pixels.toFixed(1)}px`);
  }
};

export function Crosshair({ cursor, selection, ...pointed }: CrosshairOptions) {
  const stretch = selection.value;
  const at = cursor.value;
  return (
    <>
      {stretch === null ? null : (
        <div key={stretch.kind} class={`selected ${stretch.kind}`} ref={placed(placeOf(stretch))} />
      )}
      {at === null || stretch !== null ? null : <Pointed at={at} {...pointed} />}
    </>
  );
}

function placeOf({ from, to, kind }: PointerSelection): Placing {
  const [start, size] = [Math.min(from, to), Math.abs(to - from)];
  return kind === 'values' ? { top: start, height: size } : { left: start, width: size };
}

type PointedOptions = Omit<CrosshairOptions, 'cursor' | 'selection'> & { readonly at: ChartCursor };

function Pointed({ at, scale, scene, yOf, height, origin }: PointedOptions) {
  const wanted = Number(at.ts - origin);
  const { y } = at;
  const awayOf = y === null ? null : (value: number) => Math.abs(yOf(value) - y);
  const reading = readAt(wanted, { ...scene, awayOf });
  // The crosshair snaps to the nearest sample.
  const nearest = [...reading.reads].sort(
    (one, two) => Math.abs(one.x - wanted) - Math.abs(two.x - wanted),
  )[0];
  const ts = origin + BigInt(Math.round(nearest?.x ?? wanted));
  const left = pixelOf(scale, ts);
  const isInside = ({ value }: ReadValue): boolean => yOf(value) >= 0 && yOf(value) <= height;
  if (left < -1 || left > scale.width + 1) return null;
  return (
    <>
      <div class="hair" ref={placed({ left })} />
      {reading.reads.filter(isInside).map(({ painted, x, value }) => (
        <div
          key={painted.line.id}
          class={`point line-${painted.style.colour + 1}`}
          ref={placed({ left: pixelOf(scale, origin + BigInt(Math.round(x))), top: yOf(value) })}
        />
      ))}
      <Tooltip {...{ ts, left, scale, scene, reading, isPinned: at.isPinned }} />
    </>
  );
}

interface TooltipOptions {
  readonly ts: bigint;
  readonly left: number;
  readonly scale: TimeScale;
  readonly scene: PlotScene;
  readonly reading: ChartReading;
  readonly isPinned: boolean;
}

function Tooltip({ ts, left, scale, scene, reading, isPinned }: TooltipOptions) {
  const isRight = left > scale.width / 2;
  return (
    <div
      class={`tip${isRight ? ' before' : ''}${isPinned ? ' pinned' : ''}`}
      ref={placed({ left })}
      role="tooltip"
    >
      {timesOf(ts, scene).map((text) => (
        <p key={text} class="when">
          {text}
        </p>
      ))}
      {reading.reads.length === 0 ? <p class="quiet">no samples</p> : null}
      <Reads reads={reading.reads} />
      {reading.moreCount === 0 ? null : <p class="quiet">+ {reading.moreCount}</p>}
    </div>
  );
}

function Reads({ reads }: { readonly reads: readonly ReadValue[] }) {
  return (
    <table>
      {reads.every(({ range }) => range === null) ? null : (
        <thead>
          <tr>
            <td />
            <td />
            <th scope="col">mean</th>
            <th scope="col">min</th>
            <th scope="col">max</th>
          </tr>
        </thead>
      )}
      <tbody>
        {reads.map(({ painted, name, shown, range }) => (
          <tr key={painted.line.id}>
            <td>
              <Swatch look={painted.style} />
            </td>
            <th scope="row">{name}</th>
            <td class="value">{shown}</td>
            <td>{range?.low}</td>
            <td>{range?.high}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
