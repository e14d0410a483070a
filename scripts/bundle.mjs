// Makes the program, dist/bin/seriesdb.js, of the sources: few files instead of two hundred halve
// what a start costs; see docs/decisions/0055. Types are dropped here, and checked by
// tsc. Packages stay where npm put them.
import { rolldown } from 'rolldown';

import { inRoot } from './project.mjs';

const program = await rolldown({
  input: {
    seriesdb: inRoot('src/main.ts'),
    // Started by its name, beside the file that starts it.
    'parquet-worker': inRoot('src/cli/loading/parquet-worker.ts'),
  },
  platform: 'node',
  external: /^[^./]/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  tsconfig: false,
});
await program.write({ dir: inRoot('dist/bin'), cleanDir: true, chunkFileNames: '[name].js' });
