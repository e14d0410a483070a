import { shortFloat } from '../print/number-texts.js';

import type { Place } from '../syntax/ast.js';
import type { Annotations } from './annotations.js';

/** Where they stand, and the expression that they are of. */
interface QuantilePlaces {
  readonly place: Place;
  readonly by: Place;
}

/** Where some lie outside of 0 to 1. */
export function warnOfQuantile(
  notes: Annotations,
  quantiles: Float64Array,
  places: QuantilePlaces,
): void {
  let [lowest, highest] = [0, 1];
  for (const quantile of quantiles) {
    if (Number.isNaN(quantile)) warn(notes, quantile, places);
    else if (quantile < lowest) lowest = quantile;
    else if (quantile > highest) highest = quantile;
  }
  if (highest > 1) warn(notes, highest, places);
  if (lowest < 0) warn(notes, lowest, places);
}

function warn(notes: Annotations, quantile: number, { place, by }: QuantilePlaces): void {
  notes.warn(`quantile value should be between 0 and 1, got ${shortFloat(quantile)}`, place, by);
}
