/** Converts the form of a file into wishes for the column guesser. */

import { compiledPattern } from '../../common/tables/cell-times.js';
import { isZone, zoneFault } from '../zone.js';

import type { DecimalMark } from '../../common/tables/cell-numbers.js';
import type { ChosenColumn, TableWishes } from '../../common/tables/chosen-columns.js';

export type Role = ChosenColumn['role'];

/** The roles that a user can give to a column. */
export const givenRoles = ['time', 'value', 'label', 'metric', 'left out'] as const;

/** The fields as typed; empty if untouched. */
export interface LoadFields {
  readonly metric: string;
  readonly zone: string;
  readonly decimal: DecimalMark | '';
  readonly datePattern: string;
  readonly nulls: string;
  /** The columns with a changed role. */
  readonly roles: ReadonlyMap<string, Role>;
}

export const noFields: LoadFields = {
  ...{ metric: '', zone: '', decimal: '', datePattern: '', nulls: '', roles: new Map() },
};

/** The reason why a field is invalid; empty if all are valid. */
export function fieldFault({ zone, datePattern }: LoadFields): string {
  if (zone.trim() !== '' && !isZone(zone.trim())) return zoneFault(zone.trim());
  if (datePattern.trim() !== '' && compiledPattern(datePattern.trim()) === null) {
    return (
      'The date format must have DD, MM and YYYY or YY, and may have hh, mm, ss, ' +
      'A (AM or PM) and Z.'
    );
  }
  return '';
}

/** The columns that the guesser chooses without wishes for values and labels. */
type ChoosePlainly = (wishes: TableWishes) => readonly ChosenColumn[];

/**
 * The guesser takes either all values and labels from the wishes or none. So a column given one of
 * these roles is added to the guessed ones.
 */
export function tableWishes(fields: LoadFields, choosePlainly: ChoosePlainly): TableWishes {
  const given = (role: Role): readonly string[] =>
    [...fields.roles].flatMap(([name, one]) => (one === role ? [name] : []));
  const [labels, values] = [given('label'), given('value')];
  const [timeColumn = null] = given('time');
  const [metricColumn] = given('metric');
  const plain: TableWishes = {
    ...{ timeColumn, metric: metricColumn ?? (fields.metric.trim() || null) },
    ...{ valueColumns: [], labelColumns: null, labels: {}, precision: null },
    ignoredColumns: given('left out'),
    decimal: fields.decimal === '' ? null : fields.decimal,
    nulls: fields.nulls
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    datePattern: fields.datePattern.trim() || null,
    zone: fields.zone.trim() || 'UTC',
  };
  if (labels.length === 0 && values.length === 0) return plain;
  const aside = { ...plain, ignoredColumns: [...plain.ignoredColumns, ...labels, ...values] };
  const guessed = choosePlainly(aside);
  const of = (role: Role): readonly string[] =>
    guessed.flatMap((column) => (column.role === role ? [column.name] : []));
  return {
    ...plain,
    valueColumns: values.length === 0 && labels.length === 0 ? [] : [...of('value'), ...values],
    labelColumns: labels.length === 0 ? null : [...of('label'), ...labels],
  };
}

/** The page's words for the flags of the command line. */
const flagWords: readonly (readonly [RegExp, string])[] = [
  [/--date-format (?=')/g, 'the date format '],
  [/ by --date-format/g, ' in the field “Date format”'],
  [/--time(?:-column)?\b/g, '“time”'],
  [/--value(?:-column)?\b/g, '“value”'],
  [/--metric(?:-column)?\b/g, '“metric”'],
  [/--labels\b/g, '“label”'],
  [/--ignore(?:-column)?\b/g, '“left out”'],
];

/** Rewrites a guesser's message about flags into one about the roles on the page. */
export function pageWords(sentence: string, columns: readonly string[]): string {
  let text = sentence;
  for (const name of columns.toSorted((a, b) => b.length - a.length)) {
    for (const flag of ['--value', '--labels', '--ignore']) {
      text = text.replaceAll(`${flag} ${name}`, flag);
    }
  }
  for (const [flag, words] of flagWords) text = text.replace(flag, words);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
