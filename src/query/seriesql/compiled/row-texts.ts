/** Rows that the addon writes as text: which rows it can print, and the stream of their pieces. */

import type {
  BatchStream,
  GroupKey,
  TextColumn,
  TextPiece,
  TextQuery,
} from '../../../storage/storage.js';
import type { ColumnItem, Expr, SelectItem, SelectPlan } from '../plan/plan.js';
import type { RowLayout, RowTexts } from '../execute/execution.js';
import type { GroupedShape } from '../execute/groups.js';
import type { Guard } from '../../limits/guard.js';
import type { OnRead } from './reading.js';

/** The parts of a text query that follow from the plan alone. */
export type LoweredText = Pick<TextQuery, 'order' | 'offset' | 'limit'> & {
  readonly cells: readonly TextCell[];
};

type TextCell = Pick<TextColumn, 'kind' | 'place' | 'label'>;

/** Null if something is left to compute over the groups. */
export function lowerGroupText(
  plan: SelectPlan,
  shape: GroupedShape,
  keys: readonly GroupKey[],
): LoweredText | null {
  const { items, having, orderBy, limit, offset } = plan;
  // Without keys, there is one row even if there are no samples.
  if (having !== null || shape.fill !== null || shape.keys.length === 0) return null;
  const places = items.map((item) =>
    item.kind === 'star' || isTranslated(item.expr, shape, keys) ? -1 : placeOf(item.expr, shape),
  );
  const order = orderBy.map(({ expr, descending }) => ({
    place: placeOf(expr, shape),
    isDescending: descending,
  }));
  if (places.includes(-1) || order.some(({ place }) => place < 0)) return null;
  return {
    cells: places.map((place) => ({ kind: 'place', place, label: '' })),
    order,
    offset: Number(offset),
    limit: limit === null ? Infinity : Number(limit),
  };
}

/** True if the addon computes numbers in place of these values. Their order is the same. */
function isTranslated(expr: Expr, shape: GroupedShape, keys: readonly GroupKey[]): boolean {
  if (expr.kind === 'key') {
    const key = keys[expr.index];
    const isText = shape.keys[expr.index]?.type === 'string';
    return isText && key?.kind === 'expression' && key.texts === null;
  }
  if (expr.kind !== 'aggregate') return false;
  const type = shape.aggregates[expr.index]?.type;
  return type === 'boolean' || type === 'string';
}

/** The column of the table, or -1. */
function placeOf(expr: Expr, { keys }: GroupedShape): number {
  if (expr.kind === 'key') return expr.index;
  return expr.kind === 'aggregate' ? keys.length + expr.index : -1;
}

/** True if the addon can print the item in a raw row. */
export function isPrintable(item: SelectItem): boolean {
  return item.kind === 'star' || cellOf(item.expr) !== null;
}

/** REQUIRES: all items are printable. */
export function lowerSampleText(items: readonly ColumnItem[]): LoweredText {
  const cells = items.flatMap(({ expr }) => cellOf(expr) ?? []);
  return { cells, order: [], offset: 0, limit: Infinity };
}

export function cellOf(expr: Expr): TextCell | null {
  switch (expr.kind) {
    case 'column':
      return { kind: expr.column, place: 0, label: '' };
    case 'label':
      return { kind: 'label', place: 0, label: expr.key };
    case 'labels':
      return { kind: 'labels', place: 0, label: '' };
    default:
      return null;
  }
}

export function textQuery(
  of: TextQuery['of'],
  { cells, ...lowered }: LoweredText,
  { before, ...layout }: RowLayout,
): TextQuery {
  const columns = cells.map((cell, at) => ({ before: before[at] ?? '', ...cell }));
  return { of, ...lowered, ...layout, columns };
}

/**
 * The pieces of a stream. It waits for the first piece: by then everything is read, and `onRead` is
 * called. Each piece is made while the previous one is sent.
 */
export async function readTexts(
  stream: BatchStream<TextPiece>,
  guard: Guard,
  onRead: OnRead,
): Promise<AsyncIterable<RowTexts>> {
  const stop = guard.whenCancelled(() => {
    stream.close();
  });
  const end = (): void => {
    stop();
    stream.close();
  };
  try {
    const askedAt = performance.now();
    const first = await guard.during(stream.next(), end);
    onRead(stream.stats(), askedAt);
    return piecesFrom(first, { stream, guard, end });
  } catch (error) {
    end();
    throw error;
  }
}

interface TextReading {
  readonly stream: BatchStream<TextPiece>;
  readonly guard: Guard;
  readonly end: () => void;
}

async function* piecesFrom(
  first: TextPiece | null,
  { stream, guard, end }: TextReading,
): AsyncGenerator<RowTexts> {
  try {
    let piece = first;
    while (piece !== null) {
      const next = piece.isLast ? null : guard.during(stream.next(), end);
      // If the consumer leaves, nothing else handles a rejection of this promise.
      next?.catch(() => undefined);
      yield piece;
      piece = await next;
    }
  } finally {
    end();
  }
}
