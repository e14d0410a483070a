/** A table of any length; only visible rows are in the document. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Space } from './long-table.js';

import type { ComponentChildren } from 'preact';

interface VirtualOptions {
  readonly name: string;
  readonly head: ComponentChildren;
  readonly rowCount: number;
  /** A new key scrolls to the top. */
  readonly listKey: string;
  /** Returns a `tr` with `aria-rowindex` from 1. */
  readonly row: (index: number) => ComponentChildren;
}

/** The row height of the style sheet, in pixels. */
const kRowHeight = 34;
const kAround = 10;
const kAtFirst = 30;

export function VirtualTable(options: VirtualOptions) {
  const { name, head, rowCount, row, listKey } = options;
  const place = useRef<HTMLDivElement>(null);
  const [[from, to], setShown] = useState<readonly [number, number]>([0, kAtFirst]);
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = place.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / kRowHeight) - kAround);
    const last = Math.ceil((scrollTop + clientHeight) / kRowHeight) + kAround;
    if (first !== from || last !== to) setShown([first, last]);
  };
  useLayoutEffect(() => {
    if (place.current !== null) place.current.scrollTop = 0;
    look();
  }, [listKey]);
  const end = Math.min(rowCount, to);
  const start = Math.min(from, end);
  const shown = Array.from({ length: end - start }, (_, at) => start + at);
  return (
    <div class="scrolling" ref={place} onScroll={look} tabIndex={0} role="region" aria-label={name}>
      <table class="rows tight" aria-rowcount={rowCount}>
        <caption class="unseen">{name}</caption>
        <thead>{head}</thead>
        <tbody>
          <Space px={start * kRowHeight} />
          {shown.map(row)}
          <Space px={(rowCount - end) * kRowHeight} />
        </tbody>
      </table>
    </div>
  );
}
