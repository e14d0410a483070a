/** Which expressions may work long on one row. */

import { functionTable } from './functions/function-table.js';
import { textAggregateWords } from './syntax/token.js';

const kFunctions = [...functionTable.values()].filter(({ worksOnTexts }) => worksOnTexts);
const kWords = [...textAggregateWords, ...kFunctions.map(({ name }) => name)];
/** A name that is something else in an expression costs it a wait at most. */
const kPattern = new RegExp(`~|\\b(?:${kWords.join('|')})\\b`, 'i');

/** False: each row is short work, however long the labels are. */
export function expressionWorksOnTexts(expression: string): boolean {
  return kPattern.test(expression);
}
