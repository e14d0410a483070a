/** A little of a line, as it is drawn. */

import type { LineStyle } from './colours.js';

const dashOf = { solid: undefined, dashed: '5 3', dotted: '1.5 3' } as const;

export function Swatch({ look: { colour, dash } }: { readonly look: LineStyle }) {
  return (
    <svg class={`swatch line-${colour + 1}`} viewBox="0 0 18 8" aria-hidden="true">
      <line x1="1" x2="17" y1="4" y2="4" stroke-dasharray={dashOf[dash]} />
    </svg>
  );
}
