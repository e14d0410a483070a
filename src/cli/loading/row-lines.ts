/** Rows of a table as the lines that a server takes: one line for a row, whatever the table is. */

import { parseDecimalTime } from '../../model/decimal-time.js';
import { parseIso } from '../../model/iso-time.js';
import { convertTime, nanosecondsPerUnit } from '../../model/timestamp-unit.js';
import { CommandFailure } from '../session/failure.js';
import {
  columnNames,
  descriptionColumns,
  keyOfColumn,
  timeChoices,
  unitOfColumn,
} from '../../model/table-columns.js';
import { printDouble } from '../tabular/double-text.js';

import type { Labels } from '../../client/client.js';
import type { TimestampUnit } from '../../model/timestamp-unit.js';

/** What the columns of a table mean, as far as somebody said it. */
export interface Mapping {
  readonly timeColumn: string | null;
  /** Of these, several are fields of the metric: each a metric of its own, `<metric>.<column>`. */
  readonly valueColumns: readonly string[];
  /** The name of all rows' metric. */
  readonly metric: string | null;
  readonly metricColumn: string | null;
  /** Of all rows. */
  readonly labels: Labels;
  readonly ignoredColumns: readonly string[];
  /** Of times that are integers; null: as the column's name says, or else the database's. */
  readonly precision: TimestampUnit | null;
}

export interface TableOptions {
  readonly mapping: Mapping;
  /** Of the database's timestamps. */
  readonly unit: TimestampUnit;
  /** Whether rows that are refused are left out, instead of ending the load. */
  readonly isLenient: boolean;
}

export interface TableColumn {
  readonly name: string;
  /** Of its times, where its type says it. */
  readonly unit: TimestampUnit | null;
  /** Whether its cells have parts, which no line has a place for. */
  readonly isNested: boolean;
  /** Whether they are floating-point numbers, which lose digits of times. */
  readonly isFloating: boolean;
}

/** A row that cannot be a line; the message says why. */
export class RowFault extends Error {}

/** A cell of the table; null is an empty one. */
export type Cells = readonly (string | null)[];

interface Column {
  readonly at: number;
  /** A label's key, or a member's name. */
  readonly name: string;
}

/** So many different rows but for times and values are known at a time. */
const headsMax = 20_000;

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const decimalNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export class RowLines {
  readonly #ignored: ReadonlySet<number>;
  readonly #width: number;
  readonly #unit: TimestampUnit;
  readonly #timeUnit: TimestampUnit;
  /** The column of times. */
  readonly timeAt: number;
  readonly #values: readonly Column[];
  /** Its name, or the column that has it. */
  readonly #metric: string | number;
  readonly #members: readonly Column[];
  readonly #labels: readonly Column[];
  readonly #constants: readonly string[];
  /** Columns that decide how a line begins, and the beginnings that were made. */
  readonly #headColumns: readonly number[];
  readonly #heads = new Map<string, string>();
  #lastCells: Cells | null = null;
  #lastHead = '';

  /** `unit` is the database's. Throws CommandFailure where columns are missing. */
  constructor(table: readonly TableColumn[], mapping: Mapping, unit: TimestampUnit) {
    const columns = new Columns(table.map(({ name }) => name));
    this.#ignored = new Set(mapping.ignoredColumns.map((name) => columns.take(name).at));
    const nested = table.find(({ isNested }, at) => isNested && this.uses(at));
    if (nested !== undefined) {
      throw new CommandFailure(`the column "${nested.name}" is nested; see --ignore-column`);
    }
    this.#width = table.length;
    this.#unit = unit;
    const time = columns.takeTime(mapping.timeColumn);
    this.timeAt = time.at;
    if (table[time.at]?.isFloating === true) {
      throw new CommandFailure(
        `the times in "${time.name}" are floating-point numbers; make them integers or timestamps`,
      );
    }
    const typed = table[time.at]?.unit ?? null;
    this.#timeUnit = typed ?? mapping.precision ?? unitOfColumn(time.name) ?? unit;
    const { valueColumns, metric, metricColumn } = mapping;
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
      throw new CommandFailure(
        `column ${nameless.at + 1} of the header has no name; leave it out by --ignore-column ''`,
      );
    }
    const keys = [...Object.keys(mapping.labels), ...this.#labels.map(({ name }) => name)];
    const twice = keys.find((key, at) => keys.indexOf(key) !== at);
    if (twice !== undefined) throw new CommandFailure(`the label "${twice}" comes twice`);
    this.#constants = Object.entries(mapping.labels).map(([key, text]) => memberOf(key, text));
    const decisive = [...this.#members, ...this.#labels].map(({ at }) => at);
    this.#headColumns = typeof this.#metric === 'number' ? [this.#metric, ...decisive] : decisive;
  }

  /** Whether the cells of this column matter. */
  uses(at: number): boolean {
    return !this.#ignored.has(at);
  }

  /** The line with its newline; an empty one for a row without a value. Throws RowFault. */
  line(cells: Cells): string {
    if (cells.length === 1 && cells[0] === null) return '\n';
    if (cells.length !== this.#width) {
      throw new RowFault(`it has ${cells.length} cells under ${this.#width} columns`);
    }
    const value = this.#valueMember(cells);
    if (value === '') return '\n';
    return `${this.#headOf(cells)},"ts":${this.#timeOf(cells)},${value}}\n`;
  }

  #timeOf(cells: Cells): string {
    const text = (cells[this.timeAt] ?? '').trim();
    if (/^-?\d+$/.test(text)) {
      if (this.#timeUnit === this.#unit && !/^-?0\d/.test(text)) return text;
      return String(convertTime(BigInt(text), this.#timeUnit, this.#unit));
    }
    const time = parseIso(text, this.#unit) ?? this.#fractionOf(text);
    if (time !== null) return String(time);
    throw new RowFault(
      text === ''
        ? 'the time is missing'
        : `"${shortened(text)}" is no time: neither an integer nor ISO`,
    );
  }

  /** A number with a fraction, where the database's unit is finer and has room for it. */
  #fractionOf(text: string): bigint | null {
    const units = { from: this.#timeUnit, to: this.#unit };
    const isFiner = nanosecondsPerUnit[units.to] < nanosecondsPerUnit[units.from];
    return isFiner ? parseDecimalTime(text, units) : null;
  }

  /** Empty where there is no value. */
  #valueMember(cells: Cells): string {
    const [first, ...more] = this.#values;
    if (first !== undefined && more.length === 0) {
      const text = cells[first.at] ?? null;
      return text === null ? '' : `"value":${numberOf(text)}`;
    }
    const fields = this.#values.flatMap(({ at, name }) => {
      const text = cells[at] ?? null;
      return text === null ? [] : [`${JSON.stringify(name)}:${numberOf(text)}`];
    });
    return fields.length === 0 ? '' : `"fields":{${fields.join(',')}}`;
  }

  /** How the line begins: all but time and values, which rows in sequence mostly share. */
  #headOf(cells: Cells): string {
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

  #makeHead(cells: Cells): string {
    const metric = typeof this.#metric === 'string' ? this.#metric : cells[this.#metric];
    if (typeof metric !== 'string') throw new RowFault('the metric is missing');
    const present = ({ at, name }: Column): string[] => {
      const text = cells[at] ?? null;
      return text === null ? [] : [memberOf(name, text)];
    };
    const labels = [...this.#constants, ...this.#labels.flatMap(present)].join(',');
    const members = this.#members.flatMap(present).map((one) => `,${one}`);
    return `{${memberOf('metric', metric)},"labels":{${labels}}${members.join('')}`;
  }
}

/** A text of the input that is named in a sentence. */
export function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export function memberOf(name: string, text: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(text)}`;
}

/** As JSON writes it, to the last bit. Throws RowFault. */
export function numberOf(cell: string): string {
  if (jsonNumber.test(cell)) return cell;
  const text = cell.trim();
  if (jsonNumber.test(text)) return text;
  const value = decimalNumber.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value))
    throw new RowFault(`the value "${shortened(text)}" is no finite number`);
  return printDouble(value);
}

/** So many columns are named in a sentence. */
const namesMax = 10;

/** The names of columns, as far as they fit into a sentence. */
export function listedNames(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `"${shortened(name)}"`);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** The columns of a table, of which each is taken once. */
class Columns {
  readonly #names: readonly string[];
  readonly #taken = new Set<number>();

  constructor(names: readonly string[]) {
    this.#names = names;
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new CommandFailure(`two columns have the name "${twice}"`);
  }

  find(name: string): Column | null {
    const at = this.#names.indexOf(name);
    if (at < 0) return null;
    if (this.#taken.has(at)) throw new CommandFailure(`the column "${name}" is to be two things`);
    this.#taken.add(at);
    return { at, name };
  }

  /** `instead` names the flag that says another column. */
  take(name: string, instead = ''): Column {
    const column = this.find(name);
    if (column !== null) return column;
    const flag = instead === '' ? '' : `; name it by ${instead}`;
    throw new CommandFailure(
      `there is no column "${name}" among ${listedNames(this.#names)}${flag}`,
    );
  }

  takeTime(wanted: string | null): Column {
    const names = new Set(this.#names);
    const name = wanted ?? timeChoices.find((one) => names.has(one));
    if (name !== undefined) return this.take(name, '--time-column');
    throw new CommandFailure(
      `none of the columns ${listedNames(this.#names)} is known to hold times; name it by --time-column${this.#hint()}`,
    );
  }

  /** Those that nobody took. */
  rest(): readonly Column[] {
    return this.#names.flatMap((name, at) => (this.#taken.has(at) ? [] : [{ at, name }]));
  }

  /** What stands between cells may be another character. */
  #hint(): string {
    const [only, ...more] = this.#names;
    const isCut = more.length === 0 && only !== undefined && /[;\t|]/.test(only);
    return isCut ? ', or what stands between cells by --delimiter' : '';
  }
}
