/** The formats of tables and lines of samples. */
export const tableFormats = ['ndjson', 'csv', 'parquet'] as const;
export type TableFormat = (typeof tableFormats)[number];

/** The format of a file name, plain or compressed; null if the extension is unknown. */
export function formatOfName(name: string): TableFormat | null {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
  return tableFormats.find((format) => format === ending) ?? null;
}
