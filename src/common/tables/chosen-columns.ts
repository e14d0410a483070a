/**
 * Guesses the roles of table columns that the user did not name, from their names and the first
 * rows.
 */

import { parseIso } from '../model/iso-time.js';
import {
  columnNames,
  descriptionColumns,
  timeChoices,
  unitOfColumn,
} from '../model/table-columns.js';
import { unitOfMagnitude } from '../model/time-magnitude.js';

import { isMissing, isNumber, markOf, nullWords, type DecimalMark } from './cell-numbers.js';
import {
  areClocks,
  areDates,
  compiledPattern,
  guessedPattern,
  haveZones,
  withClock,
} from './cell-times.js';
import { measuredOf, unitOfCells, type ColumnUnit } from './cell-units.js';
import { guessedValuesMax, manyValues } from './guessed-labels.js';
import { listed, pairText, valueWords } from './column-words.js';
import { listedNames, shortened, TableFault } from './table-fault.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { RowCells } from './row-cells.js';
import type { Mapping } from './row-lines.js';

type ChosenLabels = Readonly<Record<string, string>>;

/** The user's choices for the columns of all tables of a load. */
export interface TableWishes {
  readonly timeColumn: string | null;
  /** A column if the table has one of this name, otherwise the metric of all samples. */
  readonly metric: string | null;
  readonly valueColumns: readonly string[];
  /** Null means all columns of texts. */
  readonly labelColumns: readonly string[] | null;
  readonly ignoredColumns: readonly string[];
  /** Labels that are added to all rows. */
  readonly labels: ChosenLabels;
  readonly precision: TimestampUnit | null;
  /** The decimal mark; null means the mark of most numbers. */
  readonly decimal: DecimalMark | null;
  /** Additional texts for a missing number. */
  readonly nulls: readonly string[];
  /** The date pattern; null means a guess from the first rows. */
  readonly datePattern: string | null;
  /** The zone of times that name none; null means UTC. */
  readonly zone: string | null;
}

/** The input of a guess for one table. */
export interface TableGuess {
  readonly wishes: TableWishes;
  /** The metric if no other source names it. */
  readonly stem: string | null;
  /** A label that names the file if other files give the same metric; empty for a single file. */
  readonly fileLabel: ChosenLabels;
}

/** The first part of a table. */
interface TableBeginning {
  readonly names: readonly string[];
  readonly rows: readonly RowCells[];
  /** The cell delimiter; null if the table is not a text. */
  readonly delimiter: string | null;
}

/** A column with its chosen role. */
export interface ChosenColumn {
  readonly name: string;
  readonly role: 'time' | 'metric' | 'value' | 'label' | 'description' | 'left out';
  /** The type of its cells, in words. */
  readonly type: string;
}

interface ColumnChoice {
  readonly mapping: Mapping;
  /** The choice, in words. */
  readonly words: string;
  readonly columns: readonly ChosenColumn[];
}

const moreTimeNames = [
  ...['datetime', 'date', '_time', 'epoch', 'created_at', 'recorded_at'],
  ...['zeit', 'zeitstempel', 'zeitpunkt', 'datum'],
];

/** A text column with a smaller filled part says nothing about its series. */
const filledPartMin = 0.1;
/** With fewer rows, the filled part is not judged. */
const judgedRowsMin = 20;

/** Throws TableFault if the columns cannot be recognized. */
export function chooseColumns(beginning: TableBeginning, guess: TableGuess): ColumnChoice {
  return new Chooser(beginning, guess).choose();
}

/** The time column and the format of its cells. */
interface ChosenTime {
  readonly column: string;
  /** The column with times of day, if the time column has only dates. */
  readonly clock: string | null;
  readonly words: string;
  readonly precision: Mapping['precision'];
  readonly pattern: string | null;
}

class Chooser {
  readonly #table: TableBeginning;
  readonly #guess: TableGuess;
  readonly #wishes: TableWishes;
  readonly #nulls: ReadonlySet<string>;
  readonly #decimal: DecimalMark;
  /** Columns that have a role. */
  readonly #taken: Set<string>;
  readonly #units = new Map<string, ColumnUnit>();

  constructor(table: TableBeginning, guess: TableGuess) {
    const { wishes } = guess;
    this.#table = table;
    this.#guess = guess;
    this.#wishes = wishes;
    this.#taken = new Set([...wishes.ignoredColumns, ...descriptionColumns]);
    this.#nulls = new Set([...nullWords, ...wishes.nulls.map((word) => word.toLowerCase())]);
    const cells = table.names.flatMap((name) =>
      this.#cells(name).map((cell) => measuredOf(cell)?.number ?? cell),
    );
    this.#decimal = wishes.decimal ?? markOf(cells, table.delimiter ?? ',');
  }

  choose(): ColumnChoice {
    const { labels, ignoredColumns } = this.#wishes;
    this.#refuseValues();
    const time = this.#time();
    const metricColumn = this.#metricColumn();
    const values = this.#values();
    const { labelColumns, guessed } = this.#labelColumns();
    const rest = this.#rest().filter((name) => !labelColumns.includes(name));
    const metric = metricColumn === null ? this.#metric(values) : null;
    const fileLabel = metricColumn === null ? this.#guess.fileLabel : {};
    const isEmpty = (name: string): boolean => this.#cells(name).length === 0;
    const units = new Map(
      values.flatMap((name) => {
        const unit = this.#unitOf(name);
        return unit.kind === 'one' ? [[name, unit.unit] as const] : [];
      }),
    );
    const mapping = {
      ...{ timeColumn: time.column, valueColumns: values, metric, metricColumn },
      ...{ labels: { ...fileLabel, ...labels }, precision: time.precision },
      ignoredColumns: [...ignoredColumns, ...rest],
      guess: {
        numbers: { decimal: this.#decimal, nulls: this.#nulls },
        ...{ timePattern: time.pattern, zone: this.#wishes.zone, labels: guessed },
        ...{ clockColumn: time.clock, units },
        empty: this.#wishes.labelColumns === null ? rest.filter(isEmpty) : [],
      },
    };
    const words = [
      ...(this.#decimal === ',' ? ['decimal commas'] : []),
      `time = ${time.clock === null ? time.column : `${time.column} + ${time.clock}`} (${time.words})`,
      valueWords(mapping, units),
      ...listed('labels', [...labelColumns, ...Object.entries(fileLabel).map(pairText)]),
      ...listed(
        'left out',
        rest.map((name) => `${name} (${this.#whyLeftOut(name)})`),
      ),
    ];
    return { mapping, words: words.join(', '), columns: this.#columns(mapping, time) };
  }

  #whyLeftOut(name: string): string {
    const { labelColumns, valueColumns } = this.#wishes;
    if (this.#cells(name).length === 0) return 'empty';
    if (valueColumns.length > 0 && this.#holdsNumbers(name)) return 'not named by --value';
    if (labelColumns !== null) return 'not named by --labels';
    return 'mostly empty';
  }

  /** Throws if the first line holds values instead of names. */
  #refuseValues(): void {
    const { names } = this.#table;
    const value = names.find(
      (name) => isNumber(name.trim(), this.#decimal) || parseIso(name.trim(), 'ns') !== null,
    );
    if (value === undefined) return;
    throw new TableFault(`its first line should name the columns, but has "${shortened(value)}"`);
  }

  #time(): ChosenTime {
    const { names } = this.#table;
    const { timeColumn } = this.#wishes;
    if (timeColumn !== null) {
      const column = this.#datesOf(timeColumn) ?? timeColumn;
      this.#take(column, '--time');
      const found = this.#timeIn(column) ?? this.#unlikeTime(column);
      if (found.clock !== null) this.#take(found.clock, '--time');
      return found;
    }
    const named = [...timeChoices, ...moreTimeNames].flatMap(
      (choice) => names.find((name) => name.trim().toLowerCase() === choice) ?? [],
    );
    const [first] = named;
    const found =
      firstOf(named, (name) => this.#timeIn(name)) ??
      firstOf(names, (name) => (this.#hasDates(name) ? this.#timeIn(name) : null));
    if (found !== null) {
      this.#take(found.column, '--time');
      if (found.clock !== null) this.#take(found.clock, '--time');
      return found;
    }
    if (first !== undefined) return this.#unlikeTime(first);
    throw new TableFault(
      `none of the columns ${listedNames(names)} is recognized as time; name it by --time`,
    );
  }

  #unlikeTime(name: string): never {
    const [text = ''] = this.#cells(name);
    throw new TableFault(
      `the column "${name}" has "${shortened(text)}", which is not a known time format; ` +
        'give the format by --date-format, or another column by --time',
    );
  }

  #hasDates(name: string): boolean {
    const cells = this.#cells(name);
    return cells.some(isIso) || this.#patternOf(cells) !== null;
  }

  /** The time format of a column's cells; null if they are not times. */
  #timeIn(column: string): ChosenTime | null {
    const days = this.#cells(column);
    const clock = areDates(days) ? this.#clockColumn() : null;
    const cells = clock === null ? days : this.#joined(column, clock);
    const { precision, datePattern, zone } = this.#wishes;
    const told = zone === null ? ' in UTC; --tz names another zone' : ` in ${zone}`;
    const where = haveZones(cells) ? '' : told;
    const wish =
      datePattern !== null && clock !== null
        ? withClock(datePattern, this.#cells(clock)[0] ?? '')
        : datePattern;
    const others = cells.filter((cell) => !isIso(cell));
    const pattern = wish ?? (others.length * 2 > cells.length ? this.#patternOf(others) : null);
    if (pattern !== null) {
      this.#checkPattern(pattern, column, cells);
      return { ...{ column, clock, precision, pattern }, words: `${pattern}${where}` };
    }
    if (others.length < cells.length)
      return { ...{ column, clock, precision, pattern }, words: `ISO${where}` };
    return this.#countedTime(column, cells);
  }

  #checkPattern(pattern: string, column: string, cells: readonly string[]): void {
    const read = compiledPattern(pattern);
    const [bad] = cells;
    if (read === null) throw new TableFault(`"${pattern}" has no day, month and year`);
    const units = { to: 'ns', clock: null } as const;
    if (bad !== undefined && !cells.some((cell) => read(cell, units) !== null)) {
      throw new TableFault(`the column "${column}" has "${shortened(bad)}", not ${pattern}`);
    }
  }

  /** Numeric times; null if the cells are not numbers. */
  #countedTime(column: string, cells: readonly string[]): ChosenTime | null {
    const counts = cells.filter((cell) => isNumber(cell, '.'));
    if (counts.length === 0 && cells.length > 0) return null;
    const largest = Math.max(0, ...counts.map((cell) => Math.abs(Number(cell)) || 0));
    const { precision: wish } = this.#wishes;
    const precision = wish ?? unitOfColumn(column) ?? unitOfMagnitude(largest);
    const words = precision ?? "in the database's unit";
    return { column, clock: null, words, precision, pattern: null };
  }

  /** The only column with times of day; null if there is none or more than one. */
  #clockColumn(): string | null {
    const { labelColumns, valueColumns, metric } = this.#wishes;
    const said = new Set([...(labelColumns ?? []), ...valueColumns, metric]);
    const [only, ...more] = this.#rest().filter(
      (name) => !said.has(name) && areClocks(this.#cells(name)),
    );
    return only !== undefined && more.length === 0 ? only : null;
  }

  /** The only date column, if the named column has times of day. */
  #datesOf(clock: string): string | null {
    if (!areClocks(this.#cells(clock))) return null;
    const [only, ...more] = this.#rest().filter((name) => areDates(this.#cells(name)));
    return only !== undefined && more.length === 0 ? only : null;
  }

  /** Dates joined with their times of day, row by row. */
  #joined(date: string, clock: string): readonly string[] {
    const [dateAt, clockAt] = [date, clock].map((name) => this.#table.names.indexOf(name));
    return this.#table.rows.flatMap((row) => {
      const parts = [dateAt, clockAt].map((at) => row[at ?? -1]?.trim() ?? '');
      return parts.includes('') ? [] : [parts.join(' ')];
    });
  }

  /** Returns null if the cells are not dates. Throws if day and month are ambiguous. */
  #patternOf(cells: readonly string[]): string | null {
    const { datePattern } = this.#wishes;
    if (datePattern !== null) {
      const read = compiledPattern(datePattern);
      const units = { to: 'ns', clock: null } as const;
      return cells.some((cell) => (read?.(cell, units) ?? null) !== null) ? datePattern : null;
    }
    const guess = guessedPattern(cells);
    if (guess.kind !== 'ambiguous') return guess.kind === 'pattern' ? guess.pattern : null;
    const [first = ''] = cells;
    const choices = guess.choices.map((one) => `--date-format '${one}'`).join(' or ');
    throw new TableFault(`"${first}" is ambiguous: choose by ${choices}`);
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
        ? rest.filter((name) => this.#holdsNumbers(name) || this.#table.rows.length === 0)
        : [own];
    if (values.length > 0) return values.map((name) => this.#take(name, '--value'));
    throw new TableFault(
      `none of the columns ${listedNames(rest)} holds numbers; name the value columns by --value`,
    );
  }

  /** All label columns, and the guessed ones. Throws if a column is an unlikely label. */
  #labelColumns(): {
    readonly labelColumns: readonly string[];
    readonly guessed: readonly string[];
  } {
    const said = this.#wishes.labelColumns;
    if (said !== null) return { labelColumns: said, guessed: [] };
    if (this.#isExport()) return { labelColumns: this.#rest(), guessed: [] };
    const numeric = this.#rest().filter((name) => this.#holdsNumbers(name));
    const [first] = numeric;
    // If the user names the value columns, the other numeric columns are left out.
    if (first !== undefined && this.#wishes.valueColumns.length === 0) {
      throw new TableFault(
        `the column "${first}" holds numbers, which are seldom labels; choose by ` +
          `--value ${first}, --labels ${first} or --ignore ${first}`,
      );
    }
    const rest = this.#rest().filter((name) => this.#isFilled(name) && !numeric.includes(name));
    for (const name of rest) this.#refuseLabel(name);
    return { labelColumns: rest, guessed: rest };
  }

  /** Throws if each cell would make its own series. */
  #refuseLabel(name: string): void {
    const cells = this.#cells(name);
    const choices = `--labels ${name} or --ignore ${name}`;
    if (areClocks(cells)) {
      throw new TableFault(
        `the column "${name}" holds times of day, and no one column holds their dates; ` +
          `join them in the file, or say ${choices}`,
      );
    }
    const unit = this.#unitOf(name);
    if (unit.kind === 'mixed') {
      throw new TableFault(
        `the column "${name}" holds numbers in several units, ${listedNames(unit.units)}; ` +
          `write them in one, or say ${choices}`,
      );
    }
    if (new Set(cells).size > guessedValuesMax) throw manyValues(name);
  }

  /** Returns true for a table from `seriesdb export`, where all other columns are labels. */
  #isExport(): boolean {
    const { names } = this.#table;
    const [first = ''] = names;
    const { metric, value } = columnNames;
    return unitOfColumn(first) !== null && names[1] === metric && names[2] === value;
  }

  /**
   * The metric of these value columns. A single column not named "value" becomes a field of the
   * file's name.
   */
  #metric(values: readonly string[]): string {
    const { metric } = this.#wishes;
    if (metric !== null) return metric;
    const { stem } = this.#guess;
    if (stem === null) throw new TableFault('it has no name; name the metric by --metric');
    const [only, ...more] = values;
    const isField = more.length === 0 && only?.toLowerCase() !== columnNames.value;
    return isField ? `${stem}.${only ?? ''}` : stem;
  }

  #columns(mapping: Mapping, time: ChosenTime): readonly ChosenColumn[] {
    const roleOf = (name: string): ChosenColumn['role'] => {
      if (name === mapping.timeColumn || name === time.clock) return 'time';
      if (name === mapping.metricColumn) return 'metric';
      if (mapping.valueColumns.includes(name)) return 'value';
      if (mapping.ignoredColumns.includes(name)) return 'left out';
      return descriptionColumns.some((one) => one === name) ? 'description' : 'label';
    };
    return this.#table.names.map((name) => {
      const role = roleOf(name);
      return { name, role, type: role === 'time' ? time.words : this.#typeOf(name) };
    });
  }

  #typeOf(name: string): string {
    const cells = this.#cells(name);
    if (cells.length === 0) return 'empty';
    const unit = this.#unitOf(name);
    const behind = unit.kind === 'one' ? `, without "${unit.unit}"` : '';
    if (this.#holdsNumbers(name)) {
      return `number${this.#decimal === ',' ? ', decimal comma' : ''}${behind}`;
    }
    const count = new Set(cells).size;
    return count === 1 ? 'text, 1 value' : `text, ${count.toLocaleString('en')} values`;
  }

  /** Returns true if most cells that are not missing are numbers, with one unit or none. */
  #holdsNumbers(name: string): boolean {
    const cells = this.#cells(name);
    const count = cells.filter((cell) => isNumber(cell, this.#decimal)).length;
    return count * 2 > cells.length || this.#unitOf(name).kind === 'one';
  }

  #unitOf(name: string): ColumnUnit {
    const known = this.#units.get(name) ?? unitOfCells(this.#cells(name));
    this.#units.set(name, known);
    return known;
  }

  /** Returns true if enough cells of a text column are filled. */
  #isFilled(name: string): boolean {
    const { rows } = this.#table;
    const count = this.#cells(name).length;
    return count > 0 && (rows.length < judgedRowsMin || count >= rows.length * filledPartMin);
  }

  /** Columns without a role. */
  #rest(): readonly string[] {
    return this.#table.names.filter((name) => !this.#taken.has(name));
  }

  #take(name: string, flag: string): string {
    const { names } = this.#table;
    if (!names.includes(name)) {
      throw new TableFault(`there is no column "${name}" among ${listedNames(names)}; see ${flag}`);
    }
    if (this.#taken.has(name)) {
      throw new TableFault(`the column "${name}" is given two roles; see ${flag}`);
    }
    this.#taken.add(name);
    return name;
  }

  /** The first rows' cells of a column, without missing ones. */
  #cells(name: string): readonly string[] {
    const at = this.#table.names.indexOf(name);
    const form = { decimal: '.', nulls: this.#nulls } as const;
    return this.#table.rows.flatMap((row) => {
      const cell = row[at]?.trim() ?? '';
      return isMissing(cell, form) ? [] : [cell];
    });
  }
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | null): T | null {
  for (const name of names) {
    const found = find(name);
    if (found !== null) return found;
  }
  return null;
}

function isIso(text: string): boolean {
  return parseIso(text, 'ns') !== null;
}
