/** Cuts the lines of a statement into parts of one look: syntax and faults. */

import { sameIn } from './same.js';

import type { TextFault } from './fault.js';
import type { EditorLanguage } from './language.js';

export interface PaintedSpan {
  readonly from: number;
  readonly to: number;
}

interface PaintedPart {
  readonly text: string;
  /** A class of the style sheet; empty: plain text. */
  readonly look: string;
}

export interface PaintedLine {
  readonly parts: readonly PaintedPart[];
  readonly isFaulty: boolean;
}

type PiecesOf = EditorLanguage['piecesOf'];

export function paintedLines(
  text: string,
  spans: readonly PaintedSpan[],
  piecesOf: PiecesOf,
): readonly PaintedLine[] {
  const parts = partsOf(text, spans, piecesOf);
  let next = 0;
  let start = 0;
  return text.split('\n').map((line) => {
    const end = start + line.length;
    const first = next;
    while ((parts[next]?.from ?? Infinity) < end) next += 1;
    const isFaulty = spans.some(({ from }) => start <= from && from <= end);
    start = end + 1;
    return { parts: parts.slice(first, next), isFaulty };
  });
}

/** In order; no part crosses a line or contains a line break. */
function partsOf(
  text: string,
  spans: readonly PaintedSpan[],
  piecesOf: PiecesOf,
): readonly (PaintedPart & { from: number })[] {
  const pieces = piecesOf(text);
  let at = 0;
  const bounds = boundsOf(text, [
    ...pieces.map(({ start, end }) => ({ from: start, to: end })),
    ...spans,
  ]);
  return bounds.flatMap((from, index) => {
    const part = text.slice(from, bounds[index + 1] ?? from);
    if (part === '' || part === '\n') return [];
    while ((pieces[at]?.end ?? Infinity) <= from) at += 1;
    const piece = pieces[at];
    const looks = piece !== undefined && piece.start <= from ? [`ql-${piece.look}`] : [];
    if (spans.some((one) => one.from <= from && from < one.to)) looks.push('fault-text');
    return [{ from, text: part, look: looks.join(' ') }];
  });
}

/** The offsets where a span or a line starts or ends. */
function boundsOf(text: string, spans: readonly PaintedSpan[]): readonly number[] {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => ({ from: index, to: index + 1 }));
  const all = [...spans, ...breaks].flatMap(({ from, to }) => [from, to]);
  return [...new Set([0, ...all, text.length])].sort((left, right) => left - right);
}

/** Moves the faults of an earlier text to this text. A fault at the end marks the last letter. */
export function spansIn(
  text: string,
  faults: readonly TextFault[],
  earlier: string,
): readonly PaintedSpan[] {
  const { before: same, behind } = sameIn(text, earlier);
  const by = text.length - earlier.length;
  const later = earlier.length - behind;
  const within = (at: number): number => Math.min(at, text.length - behind);
  return faults.map(({ span }) => {
    // Text inserted beside a fault is no part of it.
    const from = span.from >= later ? span.from + by : within(span.from);
    const to = span.to <= same ? span.to : span.to >= later ? span.to + by : within(span.to);
    const end = Math.min(to, text.length);
    return from < end ? { from, to: end } : { from: Math.max(0, end - 1), to: end };
  });
}
