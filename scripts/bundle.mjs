// Bundles the sources into the program, dist/bin/seriesdb.js, and a few more files. Node.js loads
// them in half the time of two hundred files; see docs/decisions/0055 and 0081. The bundler drops
// types; tsc checks them. Packages stay where npm put them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { rolldown } from 'rolldown';

import { inRoot } from './project.mjs';

const common = {
  platform: 'node',
  external: /^[^./]/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  tsconfig: false,
};

/** The starting code loads the program from its chunks. */
const loaded = {
  name: 'loaded',
  load: (id) =>
    id === inRoot('src/compose.ts')
      ? "import { fileURLToPath } from 'node:url';\n" +
        "import { Chunks } from './server/starting/chunks.js';\n" +
        "import { compileLater } from './server/starting/compile-later.js';\n" +
        "import { givenFlags } from './server/starting/v8-flags.js';\n" +
        "const folder = fileURLToPath(new URL('./', import.meta.url));\n" +
        'const chunks = new Chunks(folder, givenFlags());\n' +
        "export const { run } = chunks.load('program.cjs');\n" +
        'compileLater(folder, chunks);\n'
      : null,
};

/** An id that is not a path, so the module is part of the bundle. */
const kPatterns = './first-pattern';

/**
 * The first pattern loads re2js, since its Unicode tables take a twentieth of the startup. Sources
 * shared with the page cannot do this, since a browser has no `require`.
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

/** Files that start a worker by its file name, and the worker. */
const workers = new Map([
  [inRoot('src/cli/loading/parquet-input.ts'), 'src/cli/loading/parquet-worker'],
  [inRoot('src/bucket/store-thread.ts'), 'src/bucket/store-worker'],
]);

/** A worker is an ES module, but a `.js` file in `dist/bin` is CommonJS. */
const workerByName = {
  name: 'worker-by-name',
  transform: (code, id) => {
    const worker = workers.get(id);
    if (worker === undefined) return null;
    const name = path.posix.basename(worker);
    return code.replace(`'./${name}.js', import`, `'./${name}.mjs', import`);
  },
};

/** A name that the sources do not use. */
const kOutside = '$outside';

/**
 * Loads external modules at their first use, including those of Node.js, since serving does not
 * need all. Rewrites `let a = require("b"); … a.c`. Throws for other uses of the name.
 */
const whenUsed = {
  name: 'when-used',
  renderChunk: (code) => {
    // The latter form is commander's, for a kind of command that we do not have.
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

/**
 * Escapes non-ASCII characters. Node.js reads one-byte text in a quarter of the time, and it takes
 * half the memory.
 */
function makePlain(folder, ending) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(ending))) {
    const file = `${folder}/${name}`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped));
  }
}

const dir = inRoot('dist/bin');
for (const [at, worker] of [...workers.values()].entries()) {
  // A worker is started by file name, next to the file that starts it. Its imports are ES modules.
  // Each is bundled alone, so that it is one file.
  const made = await rolldown({
    ...common,
    input: { [path.posix.basename(worker)]: inRoot(`${worker}.ts`) },
  });
  await made.write({ dir, cleanDir: at === 0, entryFileNames: '[name].mjs' });
}

// The loader of ES modules takes a twentieth of the startup.
writeFileSync(`${dir}/package.json`, '{ "type": "commonjs" }\n');
const started = await rolldown({
  ...common,
  input: {
    seriesdb: inRoot('src/main.ts'),
    'compile-ahead': inRoot('src/server/starting/compile-ahead.ts'),
    // Both this file and its imports are loaded by file name.
    'load-listener': inRoot('src/server/starting/load-listener.ts'),
  },
  plugins: [loaded],
});
await started.write({ dir, format: 'cjs', chunkFileNames: '[name].js' });

const bundled = [
  // Always needed, and finding their files takes longer than running them.
  ...['re2js', 'commander'],
  // ES modules: a CommonJS file gets them from `require` in another form.
  ...['string-width', 'strip-ansi', 'ansi-regex', 'get-east-asian-width'],
];
const program = await rolldown({
  ...common,
  external: new RegExp(`^(?!(?:${bundled.join('|')})$)[^./]`),
  input: {
    program: inRoot('src/compose.ts'),
    'listener-thread': inRoot('src/server/listener-thread.ts'),
  },
  plugins: [firstPattern, workerByName, whenUsed],
});
const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
await program.write({ dir, format: 'cjs', ...names });
makePlain(dir, '.cjs');
