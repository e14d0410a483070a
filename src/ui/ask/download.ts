/** All rows of a statement as a file, however many they are. */

import { ask } from '../data/server.js';

export type FileForm = 'csv' | 'ndjson';

const typeOf: Readonly<Record<FileForm, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

interface Download {
  readonly text: string;
  readonly format: FileForm;
  readonly signal: AbortSignal;
}

export async function download({ text, format, signal }: Download): Promise<void> {
  const pieces: BlobPart[] = [];
  await ask(async (client) => {
    for await (const piece of client.streamSeriesql(text, { format, signal })) {
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    }
  });
  const address = URL.createObjectURL(new Blob(pieces, { type: typeOf[format] }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `seriesdb.${format}`;
  link.click();
  URL.revokeObjectURL(address);
}
