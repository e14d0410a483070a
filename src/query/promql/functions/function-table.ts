/** Every function of the language, by name. */

import { absentFunctions } from './absent-functions.js';
import { histogramFunctions } from './histogram-functions.js';
import { infoFunctions } from './info-function.js';
import { labelFunctions } from './label-functions.js';
import { mathFunctions } from './math-functions.js';
import { rangeFunctions } from './range-functions.js';
import { sortFunctions } from './sort-functions.js';
import { timeFunctions } from './time-functions.js';

import type { PromqlFunction } from './promql-function.js';

const all: readonly PromqlFunction[] = [
  ...rangeFunctions,
  ...mathFunctions,
  ...timeFunctions,
  ...labelFunctions,
  ...sortFunctions,
  ...absentFunctions,
  ...infoFunctions,
  ...histogramFunctions,
];

export const functionTable: ReadonlyMap<string, PromqlFunction> = new Map(
  all.map((one) => [one.name, one]),
);
