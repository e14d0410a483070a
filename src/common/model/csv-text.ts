/**
 * A text as a cell of CSV: quoted where RFC 4180 asks for it, and where it is empty, since an empty
 * cell is null.
 */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const cell = /(?:"((?:[^"]|"")*)"|([^",][^,]*)?)(,|$)/y;

/** The cells of one row; null where a quote is not closed, or something follows one that is. */
export function csvCells(row: string): readonly string[] | null {
  const cells: string[] = [];
  for (cell.lastIndex = 0; ;) {
    const match = cell.exec(row);
    if (match === null) return null;
    const [, quoted, plain = '', delimiter] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (delimiter === '') return cells;
  }
}
