// Makes the program, dist/bin/seriesdb.js, of the sources: few files instead of two hundred, in the
// form that Node.js loads in half the time; see docs/decisions/0055 and 0081. Types are dropped
// here, and checked by tsc. Packages stay where npm put them.
import { rolldown } from 'rolldown';

import { inRoot } from './project.mjs';

const common = {
  platform: 'node',
  external: /^[^./]/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  tsconfig: false,
};

/** `import` would read all of the program for the names that it exports. */
const required = {
  name: 'required',
  load: (id) =>
    id === inRoot('src/compose.ts')
      ? "import { createRequire } from 'node:module';\n" +
        "export const { run } = createRequire(import.meta.url)('./program.cjs');\n"
      : null,
};

const started = await rolldown({
  ...common,
  input: {
    seriesdb: inRoot('src/main.ts'),
    // Started by its name, beside the file that starts it.
    'parquet-worker': inRoot('src/cli/loading/parquet-worker.ts'),
  },
  plugins: [required],
});
const dir = inRoot('dist/bin');
await started.write({ dir, cleanDir: true, chunkFileNames: '[name].js' });

const program = await rolldown({ ...common, input: { program: inRoot('src/compose.ts') } });
const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
await program.write({ dir, format: 'cjs', ...names });
