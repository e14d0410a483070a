/** A table of any length, of which only the rows in sight are in the document. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { ComponentChildren } from 'preact';

interface VirtualOptions {
  readonly name: string;
  readonly head: ComponentChildren;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Begins anew at the top where it is another one. */
  readonly listKey: string;
  /** A `tr`, with `aria-rowindex` from 1. */
  readonly row: (index: number) => ComponentChildren;
}

/** As the style sheet has it, and as it is measured where it is another. */
const kRowHeight = 34;
const kAround = 10;
const kAtFirst = 30;

export function VirtualTable(options: VirtualOptions) {
  const { name, head, rowCount, columnCount, row, listKey } = options;
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
          <Spacer rows={start} columnCount={columnCount} />
          {shown.map(row)}
          <Spacer rows={rowCount - end} columnCount={columnCount} />
        </tbody>
      </table>
    </div>
  );
}

/** As high as the rows that are not there. */
function Spacer({ rows, columnCount }: { readonly rows: number; readonly columnCount: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td
        colSpan={columnCount}
        ref={(cell) => {
          cell?.style.setProperty('height', `${rows * kRowHeight}px`);
        }}
      />
    </tr>
  );
}
