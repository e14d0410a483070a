/** Rows as CSV (RFC 4180), and files that a browser saves. */

type CsvValue = string | number | bigint | null;

export function printCsv(head: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [head, ...rows].map((row) => row.map(printField).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

/** A null is nothing, an empty text a pair of quotes. */
function printField(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
