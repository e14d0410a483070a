/** Movement by arrow keys in a table. */

export interface GridSpot {
  readonly row: number;
  readonly column: number;
}

/** The selection: a rectangle from `anchor` to `active`, the focused cell. */
export interface GridArea {
  readonly anchor: GridSpot;
  readonly active: GridSpot;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Visible rows. */
  readonly page: number;
}

interface GridKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export function areaOf(area: GridArea | null, active: GridSpot, isWider: boolean): GridArea {
  return { anchor: isWider && area !== null ? area.anchor : active, active };
}

/** Null if the key moves nothing. */
export function moved(area: GridArea | null, pressed: GridKey, size: GridSize): GridArea | null {
  if (size.rows === 0 || size.columns === 0 || pressed.altKey) return null;
  const isFar = pressed.ctrlKey || pressed.metaKey;
  const last = { row: size.rows - 1, column: size.columns - 1 };
  if (isFar && pressed.key.toLowerCase() === 'a') {
    return { anchor: { row: 0, column: 0 }, active: last };
  }
  const from = area?.active ?? null;
  const to = from === null ? begun(pressed.key) : target(from, pressed.key, { ...size, isFar });
  if (to === null) return null;
  const active = { row: clamped(to.row, last.row), column: clamped(to.column, last.column) };
  return areaOf(area, active, pressed.shiftKey);
}

const clamped = (at: number, last: number): number => Math.max(0, Math.min(at, last));

function begun(key: string): GridSpot | null {
  return key.startsWith('Arrow') ? { row: 0, column: 0 } : null;
}

function target(
  { row, column }: GridSpot,
  key: string,
  { rows, columns, page, isFar }: GridSize & { readonly isFar: boolean },
): GridSpot | null {
  switch (key) {
    case 'ArrowUp':
      return { row: isFar ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: isFar ? rows : row + 1, column };
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: isFar ? columns : column + 1 };
    case 'PageUp':
      return { row: row - page, column };
    case 'PageDown':
      return { row: row + page, column };
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 };
    case 'End':
      return { row: isFar ? rows : row, column: columns };
    default:
      return null;
  }
}
