/** Saves all rows of a statement as a file, however many there are. */

import { signal } from '@preact/signals';

import { ask } from './server.js';

import type { SeriesDbClient } from '../../client/client.js';

export type DownloadForm = 'csv' | 'ndjson';

const typeOf: Readonly<Record<DownloadForm, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

interface Saving {
  readonly sizeBytes: number;
  readonly cancel: () => void;
}

/** The download in progress; null: none. */
export const saving = signal<Saving | null>(null);

interface Download {
  readonly text: string;
  readonly format: DownloadForm;
  /** The file name without its extension. */
  readonly name: string;
}

/** Also resolves if the user cancels. */
export function download({ text, format, name }: Download): Promise<void> {
  return saveFile({
    ...{ name: `${name}.${format}`, type: typeOf[format] },
    piecesOf: (client, signal) => client.streamSeriesql(text, { format, signal }),
  });
}

interface WantedFile {
  /** With its extension. */
  readonly name: string;
  readonly type: string;
  readonly piecesOf: (client: SeriesDbClient, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/** Reads a file from the server and saves it; also resolves if the user cancels. */
export async function saveFile(wanted: WantedFile): Promise<void> {
  const controller = new AbortController();
  const cancel = (): void => {
    controller.abort();
  };
  saving.value?.cancel();
  const count = (sizeBytes: number): void => {
    if (!controller.signal.aborted) saving.value = { sizeBytes, cancel };
  };
  count(0);
  try {
    offer(await read(wanted, controller.signal, count), wanted);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    if (saving.value?.cancel === cancel) saving.value = null;
  }
}

function read(
  { piecesOf }: WantedFile,
  signal: AbortSignal,
  count: (sizeBytes: number) => void,
): Promise<readonly BlobPart[]> {
  return ask(async (client) => {
    const pieces: BlobPart[] = [];
    let sizeBytes = 0;
    for await (const piece of piecesOf(client, signal)) {
      pieces.push(piece as Uint8Array<ArrayBuffer>);
      sizeBytes += piece.length;
      count(sizeBytes);
    }
    return pieces;
  });
}

function offer(pieces: readonly BlobPart[], { name, type }: WantedFile): void {
  const address = URL.createObjectURL(new Blob([...pieces], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
