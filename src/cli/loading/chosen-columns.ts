/**
 * What the columns of a table mean where nobody said it: judged by their names and the first rows.
 */

import { parseIso } from '../../model/iso-time.js';
import { unitOfMagnitude } from '../../model/time-magnitude.js';
import { CommandFailure } from '../session/failure.js';
import {
  columnNames,
  descriptionColumns,
  timeChoices,
  unitOfColumn,
} from '../../model/table-columns.js';

import { listedNames, shortened, type Cells, type Mapping } from './row-lines.js';

import type { Labels } from '../../client/client.js';
import type { TimestampUnit } from '../../model/timestamp-unit.js';

/** What somebody said of the columns of all tables of a load. */
export interface TableWishes {
  readonly timeColumn: string | null;
  /** A column, where the table has one of this name; else the name of all samples. */
  readonly metric: string | null;
  readonly valueColumns: readonly string[];
  /** Null: all that hold no numbers, and all beside a column `value`. */
  readonly labelColumns: readonly string[] | null;
  readonly ignoredColumns: readonly string[];
  /** Of all rows. */
  readonly labels: Labels;
  readonly precision: TimestampUnit | null;
}

/** What is to be guessed of one table. */
export interface TableGuess {
  readonly wishes: TableWishes;
  /** The metric where nothing else says it. */
  readonly stem: string | null;
  /** The label that tells the file where others give the same metric; none where it is alone. */
  readonly fileLabel: Labels;
}

/** How a table begins. */
interface TableBeginning {
  readonly names: readonly string[];
  readonly rows: readonly Cells[];
}

interface Choice {
  readonly mapping: Mapping;
  /** The choice in words. */
  readonly words: string;
}

const moreTimeNames = ['datetime', 'date', '_time', 'epoch', 'created_at', 'recorded_at'];

/** Throws CommandFailure where the columns cannot be told. */
export function chooseColumns(beginning: TableBeginning, guess: TableGuess): Choice {
  return new Chooser(beginning, guess).choose();
}

class Chooser {
  readonly #table: TableBeginning;
  readonly #guess: TableGuess;
  readonly #wishes: TableWishes;
  /** Columns whose meaning is settled. */
  readonly #taken: Set<string>;

  constructor(table: TableBeginning, guess: TableGuess) {
    this.#table = table;
    this.#guess = guess;
    this.#wishes = guess.wishes;
    this.#taken = new Set([...guess.wishes.ignoredColumns, ...descriptionColumns]);
  }

  choose(): Choice {
    const { labels, ignoredColumns } = this.#wishes;
    this.#refuseValues();
    const time = this.#time();
    const metricColumn = this.#metricColumn();
    const values = this.#values();
    const labelColumns = this.#labelColumns();
    const leftOut = this.#rest().filter((name) => !labelColumns.includes(name));
    const metric = metricColumn === null ? this.#metric(values) : null;
    const fileLabel = metricColumn === null ? this.#guess.fileLabel : {};
    const mapping = {
      ...{ timeColumn: time.column, valueColumns: values, metric, metricColumn },
      ...{ labels: { ...fileLabel, ...labels }, precision: time.precision },
      ignoredColumns: [...ignoredColumns, ...leftOut],
    };
    const words = [
      `time = ${time.column} (${time.words})`,
      valueWords(mapping),
      ...listed('labels', [...labelColumns, ...Object.entries(fileLabel).map(pairText)]),
      ...listed('left out', leftOut),
    ];
    return { mapping, words: words.join(', ') };
  }

  /** The first line must be one of names. */
  #refuseValues(): void {
    const { names } = this.#table;
    const value = names.find((name) => isNumber(name) || parseIso(name.trim(), 'ns') !== null);
    if (value === undefined) return;
    throw new CommandFailure(
      `its first line should name the columns, and has "${shortened(value)}"`,
    );
  }

  #time(): {
    readonly column: string;
    readonly words: string;
    readonly precision: Mapping['precision'];
  } {
    const { names } = this.#table;
    const named = [...timeChoices, ...moreTimeNames]
      .map((choice) => names.find((name) => name.toLowerCase() === choice))
      .find((name) => name !== undefined);
    const iso = (): string | undefined => names.find((name) => this.#cells(name).some(isIso));
    const column = this.#wishes.timeColumn ?? named ?? iso();
    if (column === undefined) {
      throw new CommandFailure(
        `none of the columns ${listedNames(names)} is known to hold times; name it by --time`,
      );
    }
    this.#take(column, '--time');
    const cells = this.#cells(column);
    if (cells.some(isIso)) return { column, words: 'ISO', precision: this.#wishes.precision };
    const largest = Math.max(0, ...cells.map((cell) => Math.abs(Number(cell)) || 0));
    const known = this.#wishes.precision ?? unitOfColumn(column);
    const precision = known ?? unitOfMagnitude(largest);
    return { column, words: precision ?? "in the database's unit", precision };
  }

  #metricColumn(): string | null {
    const { metric } = this.#wishes;
    const { names } = this.#table;
    const column = metric ?? columnNames.metric;
    if (!names.includes(column) || this.#taken.has(column)) return null;
    return this.#take(column, '--metric');
  }

  #values(): readonly string[] {
    const { valueColumns, labelColumns } = this.#wishes;
    for (const name of labelColumns ?? []) this.#take(name, '--labels');
    if (valueColumns.length > 0) return valueColumns.map((name) => this.#take(name, '--value'));
    const rest = this.#rest();
    const own = rest.find((name) => name.toLowerCase() === columnNames.value);
    const values =
      own === undefined || labelColumns !== null
        ? rest.filter((name) => this.#cells(name).every(isNumber))
        : [own];
    if (values.length > 0) return values.map((name) => this.#take(name, '--value'));
    throw new CommandFailure(
      `none of the columns ${listedNames(rest)} holds numbers; name those of values by --value`,
    );
  }

  #labelColumns(): readonly string[] {
    return this.#wishes.labelColumns ?? this.#rest();
  }

  /** Of the samples of these columns. One column that is not called so is a field of the file. */
  #metric(values: readonly string[]): string {
    const { metric } = this.#wishes;
    if (metric !== null) return metric;
    const { stem } = this.#guess;
    if (stem === null) throw new CommandFailure('it has no name; say the metric by --metric');
    const [only, ...more] = values;
    const isField = more.length === 0 && only?.toLowerCase() !== columnNames.value;
    return isField ? `${stem}.${only ?? ''}` : stem;
  }

  /** Columns that nothing is known of. */
  #rest(): readonly string[] {
    return this.#table.names.filter((name) => !this.#taken.has(name));
  }

  #take(name: string, flag: string): string {
    const { names } = this.#table;
    if (!names.includes(name)) {
      throw new CommandFailure(
        `there is no column "${name}" among ${listedNames(names)}; see ${flag}`,
      );
    }
    if (this.#taken.has(name)) {
      throw new CommandFailure(`the column "${name}" is to be two things; see ${flag}`);
    }
    this.#taken.add(name);
    return name;
  }

  /** What the first rows have in a column, without what is empty. */
  #cells(name: string): readonly string[] {
    const at = this.#table.names.indexOf(name);
    return this.#table.rows.flatMap((row) => {
      const cell = row[at]?.trim() ?? '';
      return cell === '' ? [] : [cell];
    });
  }
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function isNumber(text: string): boolean {
  return decimal.test(text.trim());
}

function isIso(text: string): boolean {
  return parseIso(text, 'ns') !== null;
}

function valueWords({ valueColumns, metric, metricColumn }: Mapping): string {
  const target = metricColumn === null ? `metric ${metric ?? ''}` : `metric in ${metricColumn}`;
  const [only = '', ...more] = valueColumns;
  if (more.length === 0) return `${only} → ${target}`;
  const names = metricColumn === null ? `metrics ${metric ?? ''}.*` : `${target}.*`;
  return `${briefly(valueColumns)} → ${names}`;
}

function listed(title: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${title} ${briefly(names)}`];
}

/** So many names stand in a line that tells what was guessed. */
const namesMax = 12;

function briefly(names: readonly string[]): string {
  const more = names.length - namesMax;
  const shown = names.slice(0, namesMax).map(shortened).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function pairText([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}
