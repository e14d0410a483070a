/**
 * A text as a CSV cell. RFC 4180 decides which texts need quotes. An empty text is quoted too,
 * since an empty cell means null.
 */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const cell = /(?:"((?:[^"]|"")*)"|([^",][^,]*)?)(,|$)/y;

/** The cells of one row. Null if a quote is not closed, or if text follows a closing quote. */
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
