/** The visible lines of a statement with their numbers; they take no input. */

import { useMemo, useRef } from 'preact/hooks';

import { paintedLines, type PaintedLine, type PaintedSpan } from './painted.js';

import type { Ref, VNode } from 'preact';
import type { EditorLanguage } from './language.js';

interface LinesOptions {
  readonly text: string;
  readonly spans: readonly PaintedSpan[];
  readonly piecesOf: EditorLanguage['piecesOf'];
  readonly place: Ref<HTMLDivElement>;
}

export function Lines({ text, spans, piecesOf, place }: LinesOptions) {
  const kept = useRef<readonly KeptLine[]>([]);
  useMemo(() => {
    // Unchanged lines are reused: in a long INSERT, nearly all.
    kept.current = paintedLines(text, spans, piecesOf).map((line, at) => {
      const before = kept.current[at];
      if (before !== undefined && isSame(before.line, line)) return before;
      return { line, node: <Line key={at} {...line} /> };
    });
  }, [text, spans]);
  return (
    <div class="code-lines" ref={place} aria-hidden="true">
      {kept.current.map(({ node }) => node)}
    </div>
  );
}

interface KeptLine {
  readonly line: PaintedLine;
  readonly node: VNode;
}

const isSame = (one: PaintedLine, other: PaintedLine): boolean =>
  one.isFaulty === other.isFaulty &&
  one.parts.length === other.parts.length &&
  one.parts.every(({ text, look }, at) => {
    const part = other.parts[at];
    return part?.text === text && part.look === look;
  });

function Line({ parts, isFaulty }: PaintedLine) {
  return (
    <div class={isFaulty ? 'code-line faulty' : 'code-line'}>
      {parts.map(({ text, look }, at) =>
        look === '' ? (
          text
        ) : (
          <span key={at} class={look}>
            {text}
          </span>
        ),
      )}
    </div>
  );
}

/** The rectangle on the screen of the letter at this offset. */
export function letterAt(lines: HTMLElement, text: string, at: number): DOMRect {
  const before = text.slice(0, at).split('\n');
  const line = lines.children[before.length - 1] ?? lines;
  let left = before.at(-1)?.length ?? 0;
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  range.selectNodeContents(line);
  while (walker.nextNode() !== null) {
    const { currentNode: node } = walker;
    const { length } = node.nodeValue ?? '';
    if (left <= length) {
      range.setStart(node, left);
      break;
    }
    left -= length;
  }
  range.collapse(kToStart);
  const [rect] = range.getClientRects();
  return rect ?? line.getBoundingClientRect();
}

const kToStart = true;

/** The field grows only after the browser has scrolled to the cursor, so scroll again. */
export function keepInSight(lines: HTMLElement, text: string, at: number): void {
  const scroller = lines.closest('.code-scroll');
  if (scroller === null || scroller.scrollHeight <= scroller.clientHeight) return;
  const letter = letterAt(lines, text, at);
  const around = scroller.getBoundingClientRect();
  if (letter.bottom > around.bottom) scroller.scrollTop += letter.bottom - around.bottom + kEdge;
  else if (letter.top < around.top) scroller.scrollTop -= around.top - letter.top + kEdge;
}

const kEdge = 8;
