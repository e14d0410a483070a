// Builds the page, dist/ui, from src/ui. It bundles the sources, adds hashes to file names, and
// compresses each file in advance. `--check` only checks the size of the built page. See
// docs/decisions/0075 and 0079.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { rolldown } from 'rolldown';

import { ScriptError, filesBelow, inRoot, main, readText, report } from '../project.mjs';
import { docsPages, docsStyle } from './docs-pages.mjs';

/** The packages that the page may contain, in addition to our own sources. */
const packages = [
  ...['@preact/signals', '@preact/signals-core', 'lossless-json', 'preact', 'uplot'],
];
/** Our rooms that the page may contain, consistent with scripts/layers/layers.mjs. */
const rooms = new RegExp(
  '^src/(ui|client|common|query/(limits|values|seriesql/(language|functions)|promql/(syntax|functions)))/',
);
/** Descriptions of functions, by name of the export. Their implementations stay on the server. */
const functionLists = {
  functionList: 'src/query/seriesql/functions/function-list.ts',
  promqlList: 'src/query/promql/functions/promql-list.ts',
};

/** The most frequent page. It is loaded together with the frame. */
const firstPage = 'src/ui/pages/metrics.tsx';
/** Loaded additionally when Ask is opened. */
const askPage = 'src/ui/pages/ask.tsx';
const budgets = { first: 75 * 1024, ask: 45 * 1024, all: 208 * 1024 };

const folder = inRoot('dist/ui');

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('base64url').slice(0, 8);

/** A name with a hash, such as `icon-Ab12Cd34.svg`. */
function hashed(name, bytes) {
  const { name: stem, ext } = path.parse(name);
  return `${stem}-${hashOf(bytes)}${ext}`;
}

const resolve = { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } };

/** A module that exports the evaluated list as data. */
async function listed(name, file) {
  const build = await rolldown({ input: file, platform: 'node', resolve });
  const { output } = await build.generate({ format: 'es' });
  const [{ code }] = output;
  const made = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return `export const ${name} = ${JSON.stringify(made[name])};`;
}

const listFiles = new Map(Object.entries(functionLists).map(([name, of]) => [inRoot(of), name]));

const asListed = {
  name: 'functions as listed',
  load: {
    filter: { id: /-list\.ts$/ },
    handler: (file) => {
      const name = listFiles.get(path.normalize(file));
      return name === undefined ? null : listed(name, file);
    },
  },
};

async function bundle() {
  const build = await rolldown({
    cwd: inRoot(),
    input: { main: inRoot('src/ui/main.tsx') },
    platform: 'browser',
    plugins: [asListed],
    resolve,
    tsconfig: inRoot('src/ui/tsconfig.json'),
    transform: { target: 'es2023' },
  });
  const names = { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
  const { output } = await build.generate({ ...names, format: 'es', minify: true });
  return output;
}

const projectPath = (file) => path.relative(inRoot(), file);

/** The packages that the bundle contains. Throws if a module may not be part of the page. */
function packagesIn(chunks) {
  const found = new Set();
  const inputs = chunks.flatMap((chunk) => Object.keys(chunk.modules)).map(projectPath);
  for (const input of inputs) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    // Modules of the bundler itself begin with a zero character.
    const isOurs = rooms.test(input) || input.includes('\0');
    if (name !== undefined) found.add(name);
    else if (!isOurs) throw new ScriptError(`${input} may not be in the page`);
  }
  const names = new Set(chunks.map((chunk) => chunk.fileName));
  const outside = chunks
    .flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])
    .filter((one) => !names.has(one));
  const unnamed = [...found].filter((one) => !packages.includes(one));
  const [wrong] = [...outside, ...unnamed];
  if (wrong !== undefined) throw new ScriptError(`${wrong} may not be in the page`);
  return [...found].sort();
}

function licensesOf(names) {
  const texts = names.map((name) => {
    const place = `node_modules/${name}`;
    const { version, license } = JSON.parse(readText(`${place}/package.json`));
    const file = readdirSync(inRoot(place)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new ScriptError(`${name} has no text of its licence`);
    return `${name}\n${version}, ${license}\n\n${readText(`${place}/${file}`).trim()}\n`;
  });
  return texts.join(`\n\n`);
}

/** Removes comments and surplus blanks. No quoted text has two blanks in a row. */
const smallCss = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim();

/** All style sheets, in the order of their names. */
const style = () => smallCss(filesBelow('src/ui/style', ['.css']).map(readText).join('\n'));

/** A chunk and all chunks that it imports statically. */
function withImports(name, chunks, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const { imports } = chunks.find((chunk) => chunk.fileName === name);
  for (const one of imports) withImports(one, chunks, seen);
  return seen;
}

/** The page's HTML with the names of its files. */
function htmlOf({ entry, first, css, icon }) {
  const preloads = first
    .filter((name) => name !== entry)
    .map((name) => `<link rel="modulepreload" href="ui/${name}" />`);
  const values = { entry, css, icon, preloads: preloads.join('\n    ') };
  return readText('src/ui/page.html').replace(/@(\w+)@/g, (whole, key) => values[key] ?? whole);
}

const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

function write(name, text) {
  const bytes = Buffer.from(text);
  const forms = { br: brotli(bytes), gz: gzipSync(bytes, { level: 9 }) };
  writeFileSync(path.join(folder, name), bytes);
  for (const [ending, coded] of Object.entries(forms)) {
    if (coded.length < bytes.length) writeFileSync(path.join(folder, `${name}.${ending}`), coded);
  }
}

async function build() {
  const chunks = await bundle();
  const licenses = licensesOf(packagesIn(chunks));
  const entry = chunks.find((chunk) => chunk.isEntry).fileName;
  const fileOf = (source) =>
    chunks.find((one) => projectPath(one.facadeModuleId ?? '') === source).fileName;
  const first = [...withImports(entry, chunks), ...withImports(fileOf(firstPage), chunks)];
  const ask = [...withImports(fileOf(askPage), chunks)].filter((name) => !first.includes(name));
  const css = style();
  const icon = readText('src/ui/icon.svg');
  const files = {
    ...Object.fromEntries(chunks.map((chunk) => [chunk.fileName, chunk.code])),
    [hashed('page.css', css)]: css,
    [hashed('icon.svg', icon)]: icon,
    'licenses.txt': licenses,
  };
  const names = { css: hashed('page.css', css), icon: hashed('icon.svg', icon) };
  const docsCss = smallCss(docsStyle());
  const docs = {
    [hashed('docs.css', docsCss)]: docsCss,
    ...Object.fromEntries(docsPages({ css: hashed('docs.css', docsCss), icon: names.icon })),
  };
  const html = htmlOf({ entry, first: [...new Set(first)], ...names });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...docs, 'page.html': html }))
    write(name, text);
  const manifest = {
    page: 'page.html',
    files: Object.keys(files).sort(),
    docs: Object.keys(docs).sort(),
    first: [...new Set([...first, ...Object.values(names), 'page.html'])].sort(),
    ask: ask.sort(),
  };
  writeFileSync(path.join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The transfer size of these files with gzip. */
const packedSize = (names) =>
  names.reduce((sum, name) => sum + gzipSync(readText(`dist/ui/${name}`), { level: 9 }).length, 0);

function check() {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json')));
  const { page, files, first, ask } = manifest;
  const shown = files.filter((name) => name !== 'licenses.txt');
  const all = packedSize([page, ...shown]);
  const sizes = { first: packedSize(first), ask: packedSize(ask), all };
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  const told = `${kib(sizes.first)} at first, ${kib(sizes.ask)} more for Ask`;
  console.log(`the page takes ${told}, and ${kib(sizes.all)} in all, gzipped`);
  const problems = Object.keys(budgets)
    .filter((key) => sizes[key] > budgets[key])
    .map((key) => `${key}: ${kib(sizes[key])} are more than ${kib(budgets[key])}`);
  return report('page', problems);
}

await main(() => (process.argv.includes('--check') ? check() : build()));
