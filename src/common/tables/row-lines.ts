/** Converts the rows of any table to ingest lines, one line per row. */

import { parseDecimalTime } from '../model/decimal-time.js';
import { printDouble } from './double-text.js';
import { parseIso } from '../model/iso-time.js';
import {
  columnNames,
  descriptionColumns,
  keyOfColumn,
  timeChoices,
  unitOfColumn,
} from '../model/table-columns.js';
import { convertTime, nanosecondsPerUnit } from '../model/timestamp-unit.js';

import { isMissing, numberText, type NumberForm } from './cell-numbers.js';
import { withoutUnit } from './cell-units.js';
import { compiledPattern, type ReadPattern } from './cell-times.js';
import { GuessedLabels } from './guessed-labels.js';
import { LocalTimes } from './local-times.js';
import { listedNames, RowFault, shortened, TableFault } from './table-fault.js';

import type { ColumnRole } from '../model/table-columns.js';
import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { RowCells } from './row-cells.js';

/** The roles and formats of a table's columns, as far as they are known. */
export interface Mapping {
  readonly timeColumn: string | null;
  /** Several value columns are fields: each becomes a metric named `<metric>.<column>`. */
  readonly valueColumns: readonly string[];
  /** The metric of all rows. */
  readonly metric: string | null;
  readonly metricColumn: string | null;
  /** Labels that are added to all rows. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ignoredColumns: readonly string[];
  /**
   * The unit of integer times. Null means the unit in the column's name, or else the database's
   * unit.
   */
  readonly precision: TimestampUnit | null;
  /** Guessed formats; null if the user named the columns. */
  readonly guess: GuessedForms | null;
}

/** Guessed cell formats, and columns to watch because the user did not name them. */
interface GuessedForms {
  readonly numbers: NumberForm;
  /** The pattern of dates that are not ISO 8601. */
  readonly timePattern: string | null;
  /** The zone of times that name none; null means UTC. */
  readonly zone: string | null;
  /** The column with times of day, if the time column has only dates. */
  readonly clockColumn: string | null;
  /** The unit of a column's numbers, by column name. */
  readonly units: ReadonlyMap<string, string>;
  /** Columns that were guessed to be labels. */
  readonly labels: readonly string[];
  /** Columns that were empty in the rows that the guess read. */
  readonly empty: readonly string[];
}

export interface RowLineOptions {
  readonly mapping: Mapping;
  /** The unit of the database's timestamps. */
  readonly unit: TimestampUnit;
  /** True if refused rows are left out. Otherwise the first one ends the load. */
  readonly isLenient: boolean;
}

export interface SourceColumn {
  readonly name: string;
  /** The unit of its times; null if the column's type has none. */
  readonly unit: TimestampUnit | null;
  /** True if its cells are structures. No line can hold such a cell. */
  readonly isNested: boolean;
  /** True for floating-point numbers, which lose digits of times. */
  readonly isFloating: boolean;
}

interface RowColumn {
  readonly at: number;
  /** The key of a label, or the name of a line's member. */
  readonly name: string;
}

/** The most line beginnings in memory at a time. */
const headsMax = 20_000;

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const decimalNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A cell that does not fit its column's type. */
export interface SpoiledCell {
  readonly column: string;
  readonly text: string;
}

/** Cells with a word for a missing number. */
export interface MissingCells {
  readonly count: number;
  /** The first of their rows in the file. */
  readonly row: number;
}

export class RowLines {
  readonly #ignored: ReadonlySet<number>;
  readonly #width: number;
  readonly #unit: TimestampUnit;
  /** The unit of integer times. */
  readonly timeUnit: TimestampUnit;
  /** The index of the time column. */
  readonly timeAt: number;
  readonly #clockAt: number | null;
  readonly #values: readonly RowColumn[];
  /** The metric's name, or the index of its column. */
  readonly #metric: string | number;
  readonly #members: readonly RowColumn[];
  readonly #labels: readonly RowColumn[];
  readonly #constants: readonly string[];
  /** Columns that decide the beginning of a line, and a cache of the beginnings. */
  readonly #headColumns: readonly number[];
  readonly #heads = new Map<string, string>();
  readonly #guess: GuessedForms | null;
  readonly #readPattern: ReadPattern | null;
  /** Null if times without a zone are UTC. */
  readonly localTimes: LocalTimes | null;
  readonly guessedLabels: GuessedLabels;
  readonly #empty: readonly RowColumn[];
  readonly #spoiled: SpoiledCell[] = [];
  #row = 0;
  #missing: MissingCells = { count: 0, row: 0 };
  #lastCells: RowCells | null = null;
  #lastHead = '';

  /** `unit` is the database's. Throws TableFault if columns are missing. */
  constructor(table: readonly SourceColumn[], mapping: Mapping, unit: TimestampUnit) {
    const columns = new RowColumns(table.map(({ name }) => name));
    this.#ignored = new Set(mapping.ignoredColumns.map((name) => columns.take(name).at));
    const nested = table.find(({ isNested }, at) => isNested && this.uses(at));
    if (nested !== undefined) {
      throw new TableFault(`the column "${nested.name}" is nested; see --ignore-column`);
    }
    this.#width = table.length;
    this.#unit = unit;
    const time = columns.takeTime(mapping.timeColumn);
    this.timeAt = time.at;
    const clock = mapping.guess?.clockColumn ?? null;
    this.#clockAt = clock === null ? null : columns.take(clock).at;
    if (table[time.at]?.isFloating === true) {
      throw new TableFault(
        `the times in "${time.name}" are floating-point numbers; make them integers or timestamps`,
      );
    }
    const typed = table[time.at]?.unit ?? null;
    this.timeUnit = typed ?? mapping.precision ?? unitOfColumn(time.name) ?? unit;
    const { valueColumns, metric, metricColumn, guess } = mapping;
    this.#guess = guess;
    this.#readPattern = compiledPattern(guess?.timePattern ?? '');
    const zone = guess?.zone ?? 'UTC';
    this.localTimes = zone === 'UTC' ? null : new LocalTimes(zone);
    const at = (name: string): number => table.findIndex((one) => one.name === name);
    this.#empty = (guess?.empty ?? []).map((name) => ({ at: at(name), name }));
    const guessed = (guess?.labels ?? []).map((name) => ({ at: at(name), name }));
    this.guessedLabels = new GuessedLabels(guessed);
    const values = valueColumns.length === 0 ? [columnNames.value] : valueColumns;
    this.#values = values.map((name) => columns.take(name, '--value-column'));
    this.#metric =
      metric === null
        ? columns.take(metricColumn ?? columnNames.metric, '--metric or --metric-column').at
        : metric;
    this.#members = descriptionColumns.flatMap((name) => {
      const column = columns.find(name);
      return column === null ? [] : [{ ...column, name: name.slice('metric_'.length) }];
    });
    this.#labels = columns.rest().map(({ at, name }) => ({ at, name: keyOfColumn(name) }));
    const nameless = this.#labels.find(({ name }) => name === '');
    if (nameless !== undefined) {
      throw new TableFault(
        `column ${nameless.at + 1} of the header has no name; skip it by --ignore-column ''`,
      );
    }
    const keys = [...Object.keys(mapping.labels), ...this.#labels.map(({ name }) => name)];
    const twice = keys.find((key, at) => keys.indexOf(key) !== at);
    if (twice !== undefined) throw new TableFault(`the label "${twice}" occurs twice`);
    this.#constants = Object.entries(mapping.labels).map(([key, text]) => memberOf(key, text));
    const decisive = [...this.#members, ...this.#labels].map(({ at }) => at);
    this.#headColumns = typeof this.#metric === 'number' ? [this.#metric, ...decisive] : decisive;
  }

  /** Returns true unless the column is ignored. */
  uses(at: number): boolean {
    return !this.#ignored.has(at);
  }

  /** The roles of all columns, from left to right. */
  get roles(): readonly ColumnRole[] {
    const roles = Array.from({ length: this.#width }, (): ColumnRole => ({
      kind: 'skip',
      name: '',
    }));
    const metric = typeof this.#metric === 'string' ? this.#metric : null;
    roles[this.timeAt] = { kind: 'time', name: '' };
    if (typeof this.#metric === 'number') roles[this.#metric] = { kind: 'metric', name: '' };
    for (const { at, name } of this.#values) {
      const field = this.#values.length === 1 ? [] : [name];
      roles[at] = { kind: 'value', name: [metric ?? [], ...field].flat().join('.') };
    }
    for (const { at, name } of this.#labels) roles[at] = { kind: 'label', name };
    for (const { at } of this.#empty) roles[at] = { kind: 'empty', name: '' };
    for (const { at, name } of this.#members) {
      roles[at] = { kind: name as 'kind' | 'unit' | 'description', name: '' };
    }
    return roles;
  }

  /** True if a cell of a value has a text. */
  hasValue(cells: RowCells): boolean {
    return this.#values.some(({ at }) => !isBlank(cells[at]));
  }

  /** The cells of all lines with a word for a missing number. */
  get missing(): MissingCells {
    return this.#missing;
  }

  /** The cells that were left out of the last line. */
  get spoiled(): readonly SpoiledCell[] {
    return this.#spoiled;
  }

  /**
   * Returns the line with its newline; an empty line for a row without a value. `row` is the row in
   * the file. Throws RowFault (as NoSuchTime if the local time does not exist), or TableFault if
   * the columns contradict the guess.
   */
  line(cells: RowCells, row: number): string {
    this.#spoiled.length = 0;
    this.#row = row;
    if (cells.length === 1 && cells[0] === null) return '\n';
    if (cells.length !== this.#width) {
      throw new RowFault(`it has ${cells.length} cells for ${this.#width} columns`);
    }
    for (const { at, name } of this.#empty) {
      const text = cells[at]?.trim() ?? '';
      const isKnown = this.#guess !== null && isMissing(text, this.#guess.numbers);
      if (text !== '' && !isKnown) this.#spoiled.push({ column: name, text: shortened(text) });
    }
    const value = this.#valueMember(cells);
    if (value === '') return '\n';
    const head = this.#headOf(cells);
    this.localTimes?.enter(head, row);
    return `${head},"ts":${this.#timeOf(cells)},${value}}\n`;
  }

  #timeOf(cells: RowCells): string {
    const text = this.#timeText(cells);
    const clock = this.localTimes?.momentOf ?? null;
    const dated = this.#readPattern?.(text, { to: this.#unit, clock }) ?? null;
    if (dated !== null) return String(dated);
    if (/^-?\d+$/.test(text)) {
      if (this.timeUnit === this.#unit && !/^-?0\d/.test(text)) return text;
      return String(convertTime(BigInt(text), this.timeUnit, this.#unit));
    }
    const time = parseIso(text, this.#unit, clock) ?? this.#fractionOf(text);
    if (time !== null) return String(time);
    throw new RowFault(
      text === ''
        ? 'the time is missing'
        : `"${shortened(text)}" is not a time: neither an integer nor ISO 8601`,
    );
  }

  #timeText(cells: RowCells): string {
    const text = (cells[this.timeAt] ?? '').trim();
    if (this.#clockAt === null || text === '') return text;
    const clock = (cells[this.#clockAt] ?? '').trim();
    if (clock === '') throw new RowFault('the time of day is missing');
    return `${text} ${clock}`;
  }

  /**
   * Parses a time with a fraction, if the database's unit is finer than the column's. Otherwise
   * null.
   */
  #fractionOf(text: string): bigint | null {
    const units = { from: this.timeUnit, to: this.#unit };
    const isFiner = nanosecondsPerUnit[units.to] < nanosecondsPerUnit[units.from];
    return isFiner ? parseDecimalTime(text, units) : null;
  }

  /** Empty if the row has no value. */
  #valueMember(cells: RowCells): string {
    const [first, ...more] = this.#values;
    if (first !== undefined && more.length === 0) {
      const text = cells[first.at] ?? null;
      const number = text === null ? null : this.#numberOf(first.name, text);
      return number === null ? '' : `"value":${number}`;
    }
    const fields = this.#values.flatMap(({ at, name }) => {
      const text = cells[at] ?? null;
      const number = text === null ? null : this.#numberOf(name, text);
      return number === null ? [] : [`${JSON.stringify(name)}:${number}`];
    });
    return fields.length === 0 ? '' : `"fields":{${fields.join(',')}}`;
  }

  /** Returns null if the cell has no number. Throws RowFault if the user named the columns. */
  #numberOf(column: string, cell: string): string | null {
    if (this.#guess === null) return numberOf(cell);
    const { numbers, units } = this.#guess;
    const unit = units.get(column);
    const number = numberText(unit === undefined ? cell : withoutUnit(cell, unit), numbers.decimal);
    if (number !== null) return number;
    const text = cell.trim();
    if (isMissing(text, numbers)) {
      const { count, row } = this.#missing;
      if (text !== '') this.#missing = { count: count + 1, row: count === 0 ? this.#row : row };
      return null;
    }
    this.#spoiled.push({ column, text: shortened(text) });
    return null;
  }

  /** The beginning of the line: all but time and values. Consecutive rows mostly share it. */
  #headOf(cells: RowCells): string {
    const last = this.#lastCells;
    if (last !== null && this.#headColumns.every((at) => cells[at] === last[at])) {
      return this.#lastHead;
    }
    const key = JSON.stringify(this.#headColumns.map((at) => cells[at]));
    let head = this.#heads.get(key);
    if (head === undefined) {
      head = this.#makeHead(cells);
      if (this.#heads.size >= headsMax) this.#heads.clear();
      this.#heads.set(key, head);
    }
    this.#lastCells = cells;
    this.#lastHead = head;
    return head;
  }

  #makeHead(cells: RowCells): string {
    this.guessedLabels.count(cells);
    const metric = typeof this.#metric === 'string' ? this.#metric : cells[this.#metric];
    if (typeof metric !== 'string') throw new RowFault('the metric is missing');
    const present = ({ at, name }: RowColumn): string[] => {
      const text = cells[at] ?? null;
      return text === null ? [] : [memberOf(name, text)];
    };
    const labels = [...this.#constants, ...this.#labels.flatMap(present)].join(',');
    const members = this.#members.flatMap(present).map((one) => `,${one}`);
    return `{${memberOf('metric', metric)},"labels":{${labels}}${members.join('')}`;
  }
}

function isBlank(cell: string | null | undefined): boolean {
  return (cell ?? '').trim() === '';
}

export function memberOf(name: string, text: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(text)}`;
}

/** The number as JSON, to the last bit. Throws RowFault. */
export function numberOf(cell: string): string {
  if (jsonNumber.test(cell)) return cell;
  const text = cell.trim();
  if (jsonNumber.test(text)) return text;
  const value = decimalNumber.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value))
    throw new RowFault(`the value "${shortened(text)}" is not a finite number`);
  return printDouble(value);
}

/** The columns of a table. Each can be taken once. */
class RowColumns {
  readonly #names: readonly string[];
  readonly #taken = new Set<number>();

  constructor(names: readonly string[]) {
    this.#names = names;
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new TableFault(`two columns have the name "${twice}"`);
  }

  find(name: string): RowColumn | null {
    const at = this.#names.indexOf(name);
    if (at < 0) return null;
    if (this.#taken.has(at)) throw new TableFault(`the column "${name}" is given two roles`);
    this.#taken.add(at);
    return { at, name };
  }

  /** `instead` names the flag that selects another column. */
  take(name: string, instead = ''): RowColumn {
    const column = this.find(name);
    if (column !== null) return column;
    const flag = instead === '' ? '' : `; name it by ${instead}`;
    throw new TableFault(`there is no column "${name}" among ${listedNames(this.#names)}${flag}`);
  }

  takeTime(wanted: string | null): RowColumn {
    const names = new Set(this.#names);
    const name = wanted ?? timeChoices.find((one) => names.has(one));
    if (name !== undefined) return this.take(name, '--time-column');
    throw new TableFault(
      `none of the columns ${listedNames(this.#names)} is recognized as time; name it by --time-column${this.#hint()}`,
    );
  }

  /** Columns without a role. */
  rest(): readonly RowColumn[] {
    return this.#names.flatMap((name, at) => (this.#taken.has(at) ? [] : [{ at, name }]));
  }

  /** A hint if the header suggests another delimiter. */
  #hint(): string {
    const [only, ...more] = this.#names;
    const isCut = more.length === 0 && only !== undefined && /[;\t|]/.test(only);
    return isCut ? ', or give the delimiter by --delimiter' : '';
  }
}
