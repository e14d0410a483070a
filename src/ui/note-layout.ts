/** Lays out notes in a lane below a plot: stacked without overlap, or counted. */

interface LaneNote {
  readonly start: bigint;
  readonly end: bigint;
}

/** The time range and width of the lane, in pixels. */
interface LaneSpan {
  readonly start: bigint;
  readonly end: bigint;
  readonly width: number;
}

export interface PlacedNote<N> {
  readonly note: N;
  readonly x: number;
  readonly width: number;
  /** From 0, the topmost. */
  readonly row: number;
}

interface CountedColumn {
  readonly start: bigint;
  readonly end: bigint;
  readonly x: number;
  readonly width: number;
  readonly count: number;
}

/** Large enough for a finger. */
const kLeastPx = 24;
const kColumnPx = 36;
/** If there are more notes or rows, the lane shows counts. */
const kStackedMax = 1_000;
const kRowsMax = 8;

export type Lane<N> =
  | { readonly kind: 'stacked'; readonly notes: readonly PlacedNote<N>[]; readonly rows: number }
  | { readonly kind: 'counted'; readonly columns: readonly CountedColumn[] };

/** Lays out the notes that overlap the span. */
export function layOut<N extends LaneNote>(notes: readonly N[], span: LaneSpan): Lane<N> {
  const shown = notes.filter((note) => note.end >= span.start && note.start <= span.end);
  if (shown.length > kStackedMax) return { kind: 'counted', columns: counted(shown, span) };
  const placed = stacked(shown, span);
  const rows = placed.reduce((most, { row }) => Math.max(most, row + 1), 0);
  if (rows > kRowsMax) return { kind: 'counted', columns: counted(shown, span) };
  return { kind: 'stacked', notes: placed, rows };
}

/** Pixels from the left; times outside are clamped to the edges. */
function placeOf(ts: bigint, { start, end, width }: LaneSpan): number {
  const whole = Number(end - start);
  const share = whole === 0 ? 0.5 : Number(ts - start) / whole;
  return Math.min(1, Math.max(0, share)) * width;
}

function stacked<N extends LaneNote>(
  notes: readonly N[],
  span: LaneSpan,
): readonly PlacedNote<N>[] {
  const inOrder = [...notes].sort((left, right) => (left.start < right.start ? -1 : 1));
  const ends: number[] = [];
  return inOrder.map((note) => {
    const { x, width } = extent(note, span);
    const free = ends.findIndex((end) => end <= x);
    const row = free < 0 ? ends.length : free;
    ends[row] = x + width;
    return { note, x, width, row };
  });
}

/** A note narrower than 24 px is widened about its middle, within the edges. */
function extent(note: LaneNote, span: LaneSpan): { readonly x: number; readonly width: number } {
  const from = placeOf(note.start, span);
  const to = placeOf(note.end, span);
  if (to - from >= kLeastPx) return { x: from, width: to - from };
  const x = (from + to - kLeastPx) / 2;
  return { x: Math.max(0, Math.min(span.width - kLeastPx, x)), width: kLeastPx };
}

function counted(notes: readonly LaneNote[], span: LaneSpan): readonly CountedColumn[] {
  const columns = Math.max(1, Math.floor(span.width / kColumnPx));
  const counts = new Array<number>(columns).fill(0);
  const columnOf = (ts: bigint): number =>
    Math.min(columns - 1, Math.floor((placeOf(ts, span) / span.width) * columns));
  for (const { start, end } of notes) {
    for (let at = columnOf(start); at <= columnOf(end); at += 1) counts[at] = (counts[at] ?? 0) + 1;
  }
  const size = span.end - span.start;
  const tsOf = (at: number): bigint => span.start + (size * BigInt(at)) / BigInt(columns);
  const width = span.width / columns;
  return counts.flatMap((count, at) =>
    count === 0 ? [] : [{ start: tsOf(at), end: tsOf(at + 1), x: at * width, width, count }],
  );
}
