/** Which statements may work long on one row. */

import { textFunctionNames } from './functions/function-names.js';

/** A name that is something else in a statement costs it a wait at most. */
const kPattern = new RegExp(`~|\\b(?:like|${textFunctionNames.join('|')})\\b`, 'i');

/** False: each row is short work, however long the labels are. */
export function statementWorksOnTexts(statement: string): boolean {
  return kPattern.test(statement);
}
