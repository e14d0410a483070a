/** What a person says of a file, as the guesser of columns takes it. */

import { compiledPattern } from '../../common/tables/cell-times.js';
import { isZone, zoneFault } from '../zone.js';

import type { DecimalMark } from '../../common/tables/cell-numbers.js';
import type { ChosenColumn, TableWishes } from '../../common/tables/chosen-columns.js';

export type Role = ChosenColumn['role'];

/** Roles that a person can give to a column. */
export const givenRoles = ['time', 'value', 'label', 'metric', 'left out'] as const;

/** As they are written, and empty where nothing was. */
export interface LoadFields {
  readonly metric: string;
  readonly zone: string;
  readonly decimal: DecimalMark | '';
  readonly datePattern: string;
  readonly nulls: string;
  /** Of columns whose role was changed. */
  readonly roles: ReadonlyMap<string, Role>;
}

export const noFields: LoadFields = {
  ...{ metric: '', zone: '', decimal: '', datePattern: '', nulls: '', roles: new Map() },
};

/** Why a field is not what it must be; empty where all are. */
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

/** The columns that the guesser chose while it was told nothing of `values` and `labels`. */
type ChoosePlainly = (wishes: TableWishes) => readonly ChosenColumn[];

/**
 * A column that is made a label or a value joins those that were guessed: the guesser takes all of
 * them or guesses all.
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

/** The words of the page in the place of the command line's flags. */
const flagWords: readonly (readonly [RegExp, string])[] = [
  [/--date-format (?=')/g, 'the date format '],
  [/ by --date-format/g, ' in the field “Date format”'],
  [/--time(?:-column)?\b/g, '“time”'],
  [/--value(?:-column)?\b/g, '“value”'],
  [/--metric(?:-column)?\b/g, '“metric”'],
  [/--labels\b/g, '“label”'],
  [/--ignore(?:-column)?\b/g, '“left out”'],
];

/** What the guesser says of its flags is said of the roles in the table of columns. */
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
