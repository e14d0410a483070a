/** A sample of a line's colour and dashes. */

import { strokeOf, type LineStyle } from './colours.js';

export function Swatch({ look: { colour, dash } }: { readonly look: LineStyle }) {
  return (
    <svg class={`swatch line-${colour + 1}`} viewBox="0 0 18 8" aria-hidden="true">
      <line x1="1" x2="17" y1="4" y2="4" stroke-dasharray={strokeOf[dash].join(' ')} />
    </svg>
  );
}
