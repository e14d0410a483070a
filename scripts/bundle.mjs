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

/** No path, and none that is left outside of the bundle. */
const kPatterns = './first-pattern';

/**
 * Its tables of Unicode take a twentieth of a start: the first pattern loads them. Sources that the
 * page shares cannot say so, since a browser has no `require`.
 */
const firstPattern = {
  name: 'first-pattern',
  resolveId: (id) => (id === 're2js' ? kPatterns : null),
  load: (id) =>
    id === kPatterns
      ? "import { createRequire } from 'node:module';\n" +
        'let library = null;\n' +
        "const loaded = () => (library ??= createRequire(import.meta.url)('re2js').RE2JS);\n" +
        'export const RE2JS = { compile: (source) => loaded().compile(source) };\n'
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

const program = await rolldown({
  ...common,
  external: /^(?!re2js$)[^./]/,
  input: {
    program: inRoot('src/compose.ts'),
    // Started by its name, as above.
    'listener-thread': inRoot('src/serving/listener-thread.ts'),
  },
  plugins: [firstPattern],
});
const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
await program.write({ dir, format: 'cjs', ...names });
