import { shortFloat } from '../print/number-texts.js';

import type { Place } from '../syntax/ast.js';
import type { Annotations } from './annotations.js';

/** Where some lie outside of 0 to 1. */
export function warnOfQuantile(notes: Annotations, quantiles: Float64Array, place: Place): void {
  let [lowest, highest] = [0, 1];
  for (const quantile of quantiles) {
    if (Number.isNaN(quantile)) warn(notes, quantile, place);
    else if (quantile < lowest) lowest = quantile;
    else if (quantile > highest) highest = quantile;
  }
  if (highest > 1) warn(notes, highest, place);
  if (lowest < 0) warn(notes, lowest, place);
}

function warn(notes: Annotations, quantile: number, place: Place): void {
  notes.warn(`quantile value should be between 0 and 1, got ${shortFloat(quantile)}`, place);
}
