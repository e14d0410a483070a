/**
 * A text as a CSV cell. RFC 4180 decides which texts need quotes. An empty text is quoted too,
 * since an empty cell means null.
 */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
