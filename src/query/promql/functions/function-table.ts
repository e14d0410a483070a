/** Every function that is offered; signatures.ts says what each takes. */

import { absentFunctions } from './absent-functions.js';
import { histogramFunctions } from './histogram-functions.js';
import { infoFunctions } from './info-function.js';
import { labelFunctions } from './label-functions.js';
import { mathFunctions } from './math-functions.js';
import { rangeFunctions } from './range-functions.js';
import { sortFunctions } from './sort-functions.js';
import { timeFunctions } from './time-functions.js';

import type { Implementations } from './implementation.js';

export const functionCalls: Implementations = {
  ...mathFunctions,
  ...timeFunctions,
  ...rangeFunctions,
  ...absentFunctions,
  ...labelFunctions,
  ...sortFunctions,
  ...histogramFunctions,
  ...infoFunctions,
};
