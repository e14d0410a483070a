/** Which statements may work long on one row. */

/**
 * Functions, aggregations and operators of either language that make texts or look through them.
 * A name that is something else here costs its statement a wait at most.
 */
const kWords = [
  'concat',
  'count_values',
  'info',
  'label_join',
  'label_replace',
  'length',
  'like',
  'lower',
  'regexp_extract',
  'replace',
  'sort_by_label',
  'sort_by_label_desc',
  'substr',
  'upper',
];
const kPattern = new RegExp(`~|\\b(?:${kWords.join('|')})\\b`, 'i');

/** False: each of its rows is short work, however long the labels are. */
export function worksOnTexts(statement: string): boolean {
  return kPattern.test(statement);
}
