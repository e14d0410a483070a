/** Forms of a table of samples, and of lines. */
export const tableFormats = ['ndjson', 'csv', 'parquet'] as const;
export type TableFormat = (typeof tableFormats)[number];

/** The form that a file's name says, plain or compressed; null where it says none. */
export function formatOfName(name: string): TableFormat | null {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
  return tableFormats.find((format) => format === ending) ?? null;
}
