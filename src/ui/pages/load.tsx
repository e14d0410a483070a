/** The page Load: loads a local file into the database. */

import { useRef } from 'preact/hooks';

import { chosenFile, leftOutCount } from '../data/chosen-file.js';
import { LoadView } from '../load/load-view.js';
import { loading } from '../load/loading.js';
import { Icon } from '../widgets/icons.js';

export function LoadPage() {
  const input = useRef<HTMLInputElement>(null);
  const file = chosenFile.value ?? loading.value?.file ?? null;
  const key = file === null ? '' : `${file.name} ${file.lastModified} ${file.size}`;
  return (
    <>
      <a class="back" href="#/">
        <Icon name="earlier" />
        Metrics
      </a>
      <h1>Load a file</h1>
      <div class="drop-box">
        <Icon name="upload" />
        <p>
          Drop a CSV or NDJSON file here, plain or as <code>.gz</code>. It is shown before anything
          is stored.
        </p>
        <button
          type="button"
          class={file === null ? 'button main' : 'button'}
          onClick={() => {
            input.current?.click();
          }}
        >
          {file === null ? 'Choose a file' : 'Choose another file'}
        </button>
        <input
          ref={input}
          type="file"
          aria-label="File to load"
          hidden
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            if (chosen !== undefined) {
              chosenFile.value = chosen;
              leftOutCount.value = 0;
              if (loading.value?.state !== 'running') loading.value = null;
            }
            // Allows the same file to be chosen again.
            event.currentTarget.value = '';
          }}
        />
      </div>
      {file === null || leftOutCount.value === 0 ? null : (
        <p class="notice" role="status">
          One file is loaded at a time: {file.name} was taken, {leftOutCount.value} more{' '}
          {leftOutCount.value === 1 ? 'was' : 'were'} not. Drop the others after it.
        </p>
      )}
      {file === null ? null : <LoadView key={key} file={file} />}
    </>
  );
}
