/**
 * A table of any length that scrolls with the page; only visible rows are rendered. Rows may differ
 * in height; a height is measured once the row is rendered.
 */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { rangeInSight, type Sight } from '../row-range.js';

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';

interface LongTableOptions<T> {
  /** The accessible name; not visible. */
  readonly name: string;
  /** The cells of the head. */
  readonly head: ComponentChildren;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly classOf?: (row: T) => string;
  /** Called for a click on a row outside its links and buttons. */
  readonly open?: (row: T) => void;
  /** If set, the number of rows is unknown; called when the last row is reached. */
  readonly more?: () => void;
  /** Called with the rendered rows. */
  readonly seen?: (rows: readonly T[]) => void;
  /** The cells of a row. Arrow keys reach the elements with `data-step`. */
  readonly children: (row: T) => ComponentChildren;
}

/** The assumed height of a row that was not rendered yet. */
const kRowPx = 41;
/** The value of `aria-rowcount` for an unknown number of rows. */
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

/** A placeholder as high as the rows that are not rendered. */
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

/** The position of the rows relative to the browser window. */
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

/** Measures rendered rows, and renders again if a height differs from the assumed one. */
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

/** Up and down move between rows. */
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
