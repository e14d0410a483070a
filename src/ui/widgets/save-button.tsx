/** A button that saves the shown rows as CSV. */

import { printCsv } from '../csv.js';

interface SaveButtonOptions {
  /** The file name without its extension. */
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: () => Iterable<readonly (string | number | bigint | null)[]>;
}

export function SaveButton({ name, head, rows }: SaveButtonOptions) {
  return (
    <button
      type="button"
      class="button"
      title="Save this table as CSV"
      onClick={() => {
        save(`${name}.csv`, printCsv(head, rows()));
      }}
    >
      CSV
    </button>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser needs the URL until the download has begun.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
