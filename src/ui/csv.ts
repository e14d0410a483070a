/** Writes rows as CSV (RFC 4180). */

type CsvValue = string | number | bigint | null;

export function printCsv(head: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [head, ...rows].map((row) => row.map(printField).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

/** Null is an empty field, an empty text is a pair of quotes. */
function printField(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
