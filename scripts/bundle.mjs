// Makes the program, dist/bin/seriesdb.js, of the compiled modules: few files instead of two
// hundred halve what a start costs; see docs/decisions/0055. Packages stay where npm put them.
import { rolldown } from 'rolldown';

import { inRoot } from './project.mjs';

const program = await rolldown({
  input: {
    seriesdb: inRoot('dist/src/main.js'),
    // Started by its name, beside the file that starts it.
    'parquet-worker': inRoot('dist/src/cli/loading/parquet-worker.js'),
  },
  platform: 'node',
  external: /^[^./]/,
});
await program.write({ dir: inRoot('dist/bin'), cleanDir: true, chunkFileNames: '[name].js' });
