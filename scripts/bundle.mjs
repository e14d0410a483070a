// Makes the program, dist/bin/seriesdb.js, of the sources: few files instead of two hundred, in the
// form that Node.js loads in half the time; see docs/decisions/0055 and 0081. Types are dropped
// here, and checked by tsc. Packages stay where npm put them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

import { rolldown } from 'rolldown';

import { inRoot } from './project.mjs';

const common = {
  platform: 'node',
  external: /^[^./]/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  tsconfig: false,
};

/** What starts the program loads its chunks. */
const loaded = {
  name: 'loaded',
  load: (id) =>
    id === inRoot('src/compose.ts')
      ? "import { fileURLToPath } from 'node:url';\n" +
        "import { Chunks } from './server/starting/chunks.js';\n" +
        "import { givenFlags } from './server/starting/v8-flags.js';\n" +
        "const folder = fileURLToPath(new URL('./', import.meta.url));\n" +
        "export const { run } = new Chunks(folder, givenFlags()).load('program.cjs');\n"
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

/** Here it is no `.js`, which is CommonJS in `dist/bin`. */
const workerByName = {
  name: 'worker-by-name',
  transform: (code, id) =>
    id === inRoot('src/cli/loading/parquet-input.ts')
      ? code.replace("'./parquet-worker.js', import", "'./parquet-worker.mjs', import")
      : null,
};

/** No name of the sources. */
const kOutside = '$outside';

/**
 * What is outside of the bundle is loaded by who first uses it: of Node.js, too, not everything is
 * needed to serve. What stands as `let a = require("b"); … a.c` is made to, and refused elsewise.
 */
const whenUsed = {
  name: 'when-used',
  renderChunk: (code) => {
    // The latter is how commander says it, which needs it for commands that we do not have.
    const required = /^(?:let|\tconst(?= childProcess)) (\w+) = require\("([^."][^"]*)"\);\n/;
    const asModule = /(?:\1 = ([\w.]+\(\1(?:, 1)?\));\n)?/;
    const outside = new RegExp(required.source + asModule.source, 'gm');
    let made = code;
    const getters = [];
    for (const [text, name, id, converted] of code.matchAll(outside)) {
      const loaded = `require("${id}")`;
      const value = converted === undefined ? loaded : converted.replace(name, () => loaded);
      getters.push(`get ${name}() { return of(this, "${name}", ${value}); }`);
      made = made
        .replace(text, '')
        .replace(new RegExp(`\\b${name}\\b(?=[.;])`, 'g'), `${kOutside}.${name}`);
      if (new RegExp(`(?<!\\.)\\b${name}\\b`).test(made)) throw new Error(`${name} is used alone`);
    }
    if (getters.length === 0) return null;
    const of =
      'const of = (all, name, value) => Object.defineProperty(all, name, { value })[name];';
    const all = `(() => { ${of} return { ${getters.join(', ')} }; })()`;
    return `const ${kOutside} = ${all};\n${made}`;
  },
};

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text of one byte a character is read in a fourth of the time, and takes half of the memory. */
function makePlain(folder, ending) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(ending))) {
    const file = `${folder}/${name}`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped));
  }
}

const dir = inRoot('dist/bin');
const worker = await rolldown({
  ...common,
  // Started by its name, beside the file that starts it. What it imports is no CommonJS.
  input: { 'parquet-worker': inRoot('src/cli/loading/parquet-worker.ts') },
});
await worker.write({ dir, cleanDir: true, entryFileNames: '[name].mjs' });

// The loader of ES modules takes a twentieth of a start.
writeFileSync(`${dir}/package.json`, '{ "type": "commonjs" }\n');
const started = await rolldown({
  ...common,
  input: {
    seriesdb: inRoot('src/main.ts'),
    'compile-ahead': inRoot('src/server/starting/compile-ahead.ts'),
    // Started by its name, as is what it loads.
    'load-listener': inRoot('src/server/starting/load-listener.ts'),
  },
  plugins: [loaded],
});
await started.write({ dir, format: 'cjs', chunkFileNames: '[name].js' });

const program = await rolldown({
  ...common,
  // commander is needed whatever is asked for, and to find its files takes longer than to run it.
  external: /^(?!(?:re2js|commander)$)[^./]/,
  input: {
    program: inRoot('src/compose.ts'),
    'listener-thread': inRoot('src/server/listener-thread.ts'),
  },
  plugins: [firstPattern, workerByName, whenUsed],
});
const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
await program.write({ dir, format: 'cjs', ...names });
makePlain(dir, '.cjs');
