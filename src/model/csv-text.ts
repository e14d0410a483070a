/**
 * A text as a cell of CSV: quoted where RFC 4180 asks for it, and where it is empty, since an empty
 * cell is null.
 */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
