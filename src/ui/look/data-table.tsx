/** The chart's data as a table. */

import { useMemo, useState } from 'preact/hooks';

import { printSeconds, printFine } from '../units.js';
import { VirtualTable } from '../widgets/virtual-table.js';
import { perSecond, printTime, type PageClock } from '../zone.js';
import { dataRows, rowSizes, type DataCell, type DataRow, type RowSize } from './data-rows.js';

import type { Picture } from '../chart/picture.js';

interface DataOptions {
  readonly picture: Picture;
  readonly hidden: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: PageClock;
}

const sizeWords: Readonly<Record<RowSize, string>> = {
  drawn: 'as drawn',
  hour: 'hour',
  day: 'day',
};
const parts = ['mean', 'min', 'max', 'last'] as const;
/** The sample counts of the merged buckets are unknown, so there is no mean. */
const foldedParts = ['min', 'max', 'last'] as const;
/** For raw samples all four figures are equal. */
const samplePart = ['last'] as const;
type TablePart = (typeof parts)[number];

export function DataTable({ picture, hidden, names, unit, clock }: DataOptions) {
  const [size, setSize] = useState<RowSize>('drawn');
  const lines = picture.lines.filter(({ id }) => !hidden.has(id));
  const rows = useMemo(
    () => dataRows(lines, size, { origin: picture.origin, clock }),
    [picture, hidden, size, clock.zone],
  );
  const areSamples = lines[0]?.min === lines[0]?.max;
  const shown: readonly TablePart[] =
    size !== 'drawn' ? foldedParts : areSamples ? samplePart : parts;
  const heads = lines.length > 1 ? lines.map(({ id }) => names.get(id) ?? id) : shown.map(headOf);
  return (
    <div class="data">
      <div class="above" role="group" aria-label="Rows">
        <span class="quiet">
          A row for each {picture.width === null ? 'sample' : picture.width.text}, or
        </span>
        {rowSizes.map((one) => (
          <button
            key={one}
            type="button"
            class="button small"
            aria-pressed={one === size}
            onClick={() => {
              setSize(one);
            }}
          >
            {sizeWords[one]}
          </button>
        ))}
      </div>
      <VirtualTable
        name="Data"
        listKey={size}
        rowCount={rows.length}
        head={
          <tr>
            <th scope="col">Time</th>
            {heads.map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        }
        row={(at) => (
          <Row key={at} at={at} row={rows[at]} {...{ picture, clock, unit, heads, shown }} />
        )}
      />
    </div>
  );
}

const headOf = (part: TablePart, _at: number, all: readonly TablePart[]): string =>
  all.length === 1 ? 'value' : part;

interface DataRowOptions {
  readonly at: number;
  readonly row: DataRow | undefined;
  readonly picture: Picture;
  readonly clock: PageClock;
  readonly unit: string;
  readonly heads: readonly string[];
  readonly shown: readonly TablePart[];
}

function Row({ at, row, picture, clock, unit, heads, shown }: DataRowOptions) {
  if (row === undefined) return null;
  const ts = picture.origin + BigInt(Math.round(row.x));
  if (row.holeUntil !== null) {
    const seconds = (row.holeUntil - row.x) / Number(perSecond(clock.unit));
    return (
      <tr aria-rowindex={at + 1} class="hole">
        <th scope="row">after {printTime(ts, clock)}</th>
        <td colSpan={heads.length}>no samples for {printSeconds(Math.round(seconds))}</td>
      </tr>
    );
  }
  const [only] = row.cells;
  const isSingle = row.cells.length === 1;
  const texts = isSingle
    ? shown.map((part) => figure(only, part, unit))
    : row.cells.map((cell) => rangeText(cell, unit));
  return (
    <tr aria-rowindex={at + 1}>
      <th scope="row">{printTime(ts, clock)}</th>
      {texts.map((text, column) => (
        <td key={column} class="number">
          {text}
        </td>
      ))}
    </tr>
  );
}

function figure(cell: DataCell | null | undefined, part: TablePart, unit: string): string {
  const value = cell?.[part] ?? null;
  return value === null ? '–' : printFine(value, unit);
}

function rangeText(cell: DataCell | null, unit: string): string {
  if (cell === null) return '–';
  if (cell.min === cell.max) return printFine(cell.last, unit);
  return `${printFine(cell.min, unit)} – ${printFine(cell.max, unit)}`;
}
