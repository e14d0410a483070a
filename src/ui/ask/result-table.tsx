/** The rows of an answer. Only visible rows are in the page; arrow keys move the focus. */

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { tell } from '../announce.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { copied } from '../widgets/copyable.js';
import {
  arranged,
  cellOf,
  digitsOf,
  isNumber,
  isRoundedBy,
  tsvOf,
  widthsOf,
  type Digits,
  type ColumnOrder,
  type AnswerRow,
} from './cells.js';
import { areaOf, moved, type GridArea, type GridSpot } from './grid-moves.js';

import type { QueryColumn, QueryResult, QueryValue } from '../../client/client.js';

/** The same as in the style sheet, in pixels. */
const kRowHeight = 30;
const kPadding = 30;
/** The width of a digit in wide fonts, in pixels, so that no number is cut. */
const kCharacter = 8.8;
/** Rows rendered beyond each edge, so that quick scrolling shows no gap. */
const kBeyond = 12;

export function ResultTable({
  result,
  name,
}: {
  readonly result: QueryResult;
  readonly name: string;
}) {
  const { columns, rows } = result;
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<ColumnOrder | null>(null);
  const [isExact, setExact] = useState(false);
  const now = clock.value;
  const fewest = useMemo(() => digitsOf(columns, rows), [columns, rows]);
  const digits = isExact ? columns.map(() => null) : fewest;
  const cellAt = (value: QueryValue, column: number) => {
    const one = columns[column];
    return one === undefined
      ? { text: '' }
      : cellOf(value, one, { clock: now, digits: digits[column] ?? null });
  };
  const textOf = (value: QueryValue, column: number): string => cellAt(value, column).text;
  // The filter searches the shown text and the tooltip.
  const searchedOf = (value: QueryValue, column: number): string => {
    const { text, title = '' } = cellAt(value, column);
    return `${text}\n${title}`;
  };
  const isRounded = useMemo(() => hasRounded(rows, fewest), [rows, fewest]);
  const isOrdered = order !== null && order.column < columns.length;
  const places = useMemo(
    () => arranged(rows, { filter, order: isOrdered ? order : null }, searchedOf),
    [rows, filter, order, now, isExact],
  );
  const widths = useMemo(() => widthsOf(columns, rows, textOf), [columns, rows, now, isExact]);
  return (
    <>
      <RowTools
        {...{ filter, setFilter, isRounded, isExact, setExact }}
        {...{ shown: places.length, all: rows.length }}
      />
      <Grid
        {...{ name, columns, digits, widths, order }}
        rows={places.flatMap((place) => rows.slice(place, place + 1))}
        setOrder={setOrder}
      />
    </>
  );
}

interface TableToolOptions {
  readonly filter: string;
  readonly setFilter: (filter: string) => void;
  readonly isRounded: boolean;
  readonly isExact: boolean;
  readonly setExact: (isExact: boolean) => void;
  readonly shown: number;
  readonly all: number;
}

function RowTools(options: TableToolOptions) {
  const { filter, setFilter, isRounded, isExact, setExact, shown, all } = options;
  if (all <= 1 && !isRounded) return null;
  return (
    <div class="grid-tools">
      {all > 1 ? (
        <input
          type="search"
          aria-label="Filter rows"
          placeholder="Filter rows"
          value={filter}
          onInput={(event) => {
            setFilter(event.currentTarget.value);
          }}
        />
      ) : null}
      {isRounded ? (
        <button
          type="button"
          class="button small"
          title="Show every digit; copies always have them"
          aria-pressed={isExact}
          onClick={() => {
            setExact(!isExact);
          }}
        >
          Exact
        </button>
      ) : null}
      <span class="quiet" role="status">
        {shown === all ? '' : `${printCount(shown)} of ${printCount(all)} rows`}
      </span>
    </div>
  );
}

/** True if any value has more digits than the table shows. */
function hasRounded(rows: readonly AnswerRow[], fewest: Digits): boolean {
  return fewest.some(
    (most, at) => most !== null && rows.some((row) => isRoundedBy(most, row[at] ?? null)),
  );
}

interface GridOptions {
  readonly name: string;
  readonly columns: readonly QueryColumn[];
  readonly digits: Digits;
  readonly widths: readonly number[];
  readonly rows: readonly AnswerRow[];
  readonly order: ColumnOrder | null;
  readonly setOrder: (order: ColumnOrder | null) => void;
}

function Grid({ name, columns, digits, widths, rows, order, setOrder }: GridOptions) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [area, setArea] = useState<GridArea | null>(null);
  useLayoutEffect(() => {
    setHeight(box.current?.clientHeight ?? 600);
  }, [rows]);
  const first = Math.max(0, Math.floor(top / kRowHeight) - kBeyond);
  const last = Math.min(rows.length, Math.ceil((top + height) / kRowHeight) + kBeyond);
  const size = { rows: rows.length, columns: columns.length };
  const choose = (spot: GridSpot, isWider: boolean): void => {
    setArea(areaOf(area, spot, isWider));
  };
  return (
    <div
      ref={box}
      class="grid-box"
      role="grid"
      tabIndex={0}
      aria-label={name}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-multiselectable
      aria-activedescendant={area === null ? undefined : cellId(area.active)}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
      }}
      onKeyDown={(event) => {
        const next = moved(area, event, { ...size, page: Math.floor(height / kRowHeight) - 2 });
        if (next !== null) {
          event.preventDefault();
          setArea(next);
          showSpot(event.currentTarget, next.active);
        } else if (isCopy(event)) {
          event.preventDefault();
          void copyArea(rows, area);
        }
      }}
    >
      <table role="presentation">
        <colgroup>
          {widths.map((width, at) => (
            <col key={at} width={Math.round(width * kCharacter + kPadding)} />
          ))}
          <col />
        </colgroup>
        <Heads {...{ columns, order, setOrder }} />
        <tbody role="rowgroup">
          <Space height={first * kRowHeight} />
          {rows.slice(first, last).map((row, at) => (
            <Line key={first + at} {...{ row, columns, digits, area, choose }} place={first + at} />
          ))}
          <Space height={(rows.length - last) * kRowHeight} />
        </tbody>
      </table>
    </div>
  );
}

const cellId = ({ row, column }: GridSpot): string => `cell-${row}-${column}`;

/** A placeholder for the rows that are out of sight. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr role="presentation" aria-hidden="true">
      <td role="presentation" class="space" height={height} />
    </tr>
  );
}

function Heads({ columns, order, setOrder }: Pick<GridOptions, 'columns' | 'order' | 'setOrder'>) {
  const turn = (column: number): void => {
    if (order?.column !== column) setOrder({ column, isDown: false });
    else setOrder(order.isDown ? null : { column, isDown: true });
  };
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map((one, at) => {
          const sorted =
            order?.column === at ? (order.isDown ? 'descending' : 'ascending') : 'none';
          return (
            <th
              key={at}
              role="columnheader"
              aria-sort={sorted}
              class={isNumber(one) ? 'number' : undefined}
            >
              <button
                type="button"
                tabIndex={-1}
                title={`Sort by ${one.name}`}
                onClick={() => {
                  turn(at);
                }}
              >
                {one.name}
                <span class="type">{one.type}</span>
                <span aria-hidden="true">
                  {sorted === 'none' ? '' : sorted === 'ascending' ? '↑' : '↓'}
                </span>
              </button>
            </th>
          );
        })}
        <td role="presentation" />
      </tr>
    </thead>
  );
}

interface ResultLineOptions {
  readonly row: AnswerRow;
  readonly columns: readonly QueryColumn[];
  readonly digits: Digits;
  /** The row's index in display order. */
  readonly place: number;
  readonly area: GridArea | null;
  readonly choose: (spot: GridSpot, isWider: boolean) => void;
}

function Line({ row, columns, digits, place, area, choose }: ResultLineOptions) {
  return (
    <tr role="row" aria-rowindex={place + 2}>
      {columns.map((column, at) => {
        const { text, title, look } = cellOf(row[at] ?? null, column, {
          ...{ clock: clock.value, digits: digits[at] ?? null },
        });
        const spot = { row: place, column: at };
        const looks = [isNumber(column) ? 'number' : '', look ?? '', lookOf(spot, area)];
        return (
          <td
            key={at}
            id={cellId(spot)}
            role="gridcell"
            class={looks.filter(Boolean).join(' ') || undefined}
            title={title ?? (text.length > 40 ? text : undefined)}
            aria-selected={area === null ? undefined : isInside(spot, area)}
            aria-label={look === 'null' ? 'null' : undefined}
            onPointerDown={(event) => {
              choose(spot, event.shiftKey);
            }}
          >
            {text}
          </td>
        );
      })}
      <td role="presentation" />
    </tr>
  );
}

function isInside({ row, column }: GridSpot, { anchor, active }: GridArea): boolean {
  const isBetween = (at: number, one: number, other: number): boolean =>
    Math.min(one, other) <= at && at <= Math.max(one, other);
  return isBetween(row, anchor.row, active.row) && isBetween(column, anchor.column, active.column);
}

function lookOf(spot: GridSpot, area: GridArea | null): string {
  if (area === null || !isInside(spot, area)) return '';
  return spot.row === area.active.row && spot.column === area.active.column ? 'active' : 'chosen';
}

/** Scrolls until the cell is visible below the sticky head. */
function showSpot(box: HTMLElement, { row, column }: GridSpot): void {
  const head = box.querySelector('thead')?.clientHeight ?? 0;
  const above = row * kRowHeight;
  const below = above + kRowHeight + head - box.clientHeight;
  if (box.scrollTop > above) box.scrollTop = above;
  else if (box.scrollTop < below) box.scrollTop = below;
  const { offsetLeft: left = 0, offsetWidth: width = 0 } = box.querySelectorAll('th')[column] ?? {};
  if (box.scrollLeft > left) box.scrollLeft = left;
  else if (box.scrollLeft < left + width - box.clientWidth) {
    box.scrollLeft = left + width - box.clientWidth;
  }
}

/** If text is selected, the browser copies it instead. */
function isCopy(event: KeyboardEvent): boolean {
  const isKey = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c';
  return isKey && (getSelection()?.isCollapsed ?? true);
}

async function copyArea(rows: readonly AnswerRow[], area: GridArea | null): Promise<void> {
  if (area === null) return;
  const { anchor, active } = area;
  const [top, bottom] = [anchor.row, active.row].sort((left, right) => left - right);
  const [start, end] = [anchor.column, active.column].sort((left, right) => left - right);
  const chosen = rows.slice(top, (bottom ?? 0) + 1).map((row) => row.slice(start, (end ?? 0) + 1));
  const cells = chosen.length * (chosen[0]?.length ?? 0);
  if (await copied(tsvOf(chosen))) tell(cells === 1 ? 'Copied' : `Copied ${cells} cells`);
}
