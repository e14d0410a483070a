import { shortFloat } from '../print/number-texts.js';

import type { TextPlace } from '../syntax/ast.js';
import type { Annotations } from './annotations.js';

/** The place of the quantiles, and the expression that they belong to. */
interface QuantilePlaces {
  readonly place: TextPlace;
  readonly by: TextPlace;
}

/** Warns if quantiles lie outside 0…1. */
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
