/**
 * A table of any number of rows in a page that scrolls: only rows in sight are drawn. A row may be
 * as high as it likes; its height is known once it was drawn.
 */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { rangeInSight, type Sight } from '../row-range.js';

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';

interface LongTableOptions<T> {
  /** What the table is called; not shown. */
  readonly name: string;
  /** Cells of the head. */
  readonly head: ComponentChildren;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly classOf?: (row: T) => string;
  /** Of a click on a row that is not on one of its links or buttons. */
  readonly open?: (row: T) => void;
  /** There: how many rows there are is not known, and the last one was come to. */
  readonly more?: () => void;
  /** Hears of the rows that are drawn. */
  readonly seen?: (rows: readonly T[]) => void;
  /** Cells of a row. What has `data-step` is reached by the arrow keys. */
  readonly children: (row: T) => ComponentChildren;
}

/** Until a row was drawn. */
const kRowPx = 41;
/** As the roles of a table say it. */
const kUnknown = -1;

export function LongTable<T>(options: LongTableOptions<T>) {
  const { name, head, rows, keyOf, classOf, open, more, seen, children } = options;
  const body = useRef<HTMLTableSectionElement>(null);
  const known = useRef(new Map<string, number>()).current;
  const sight = useSight(body);
  const heights = rows.map((row) => known.get(keyOf(row)) ?? kRowPx);
  const { first, end, before, behind } = rangeInSight(heights, sight);
  useMeasured(body, known);
  useEffect(() => {
    if (end === rows.length) more?.();
  }, [end, rows.length, more]);
  useEffect(() => {
    seen?.(rows.slice(first, end));
  }, [first, end, rows]);
  return (
    <table
      class="rows long"
      aria-rowcount={more === undefined ? rows.length + 1 : kUnknown}
      onKeyDown={step}
    >
      <caption class="unseen">{name}</caption>
      <thead>
        <tr aria-rowindex={1}>{head}</tr>
      </thead>
      <tbody ref={body}>
        <Space px={before} />
        {rows.slice(first, end).map((row, at) => (
          <tr
            key={keyOf(row)}
            data-key={keyOf(row)}
            aria-rowindex={first + at + 2}
            class={classOf?.(row)}
            onClick={
              open === undefined
                ? undefined
                : (event) => {
                    const { target } = event;
                    if (target instanceof Element && target.closest('a, button') === null)
                      open(row);
                  }
            }
          >
            {children(row)}
          </tr>
        ))}
        <Space px={behind} />
      </tbody>
    </table>
  );
}

/** As high as the rows that are not there. */
export function Space({ px }: { readonly px: number }) {
  if (px === 0) return null;
  return (
    <tr aria-hidden="true" class="space">
      <td
        colSpan={100}
        ref={(cell) => {
          cell?.style.setProperty('height', `${px}px`);
        }}
      />
    </tr>
  );
}

/** Where the rows stand in the window of the browser. */
function useSight(body: { readonly current: HTMLElement | null }): Sight {
  const [sight, setSight] = useState<Sight>({ top: 0, height: innerHeight });
  useEffect(() => {
    const look = (): void => {
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      setSight((last) =>
        last.top === top && last.height === innerHeight ? last : { top, height: innerHeight },
      );
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [body]);
  return sight;
}

/** Draws once more where a row is not as high as it was taken to be. */
function useMeasured(
  body: { readonly current: HTMLElement | null },
  known: Map<string, number>,
): void {
  const [, setRound] = useState(0);
  useLayoutEffect(() => {
    let isNew = false;
    for (const row of body.current?.querySelectorAll<HTMLElement>('tr[data-key]') ?? []) {
      const key = row.dataset['key'] ?? '';
      const height = row.offsetHeight;
      if (height === 0 || known.get(key) === height) continue;
      known.set(key, height);
      isNew = true;
    }
    if (isNew) setRound((one) => one + 1);
  });
}

/** Up and down go from row to row. */
function step(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target } = event;
  if (way === undefined || !(target instanceof HTMLElement)) return;
  if (target.dataset['step'] === undefined) return;
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-step]')];
  const next = places[places.indexOf(target) + way];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
