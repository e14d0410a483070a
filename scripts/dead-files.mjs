// Checks that every file is used: .cc files by native/sources.txt, headers by an #include.
// TypeScript files must be reachable from the bundler's inputs, the page's main.tsx, a test, a
// benchmark or a script.
import { existsSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import { filesBelow, inRoot, main, readText, report, sourceOf } from './project.mjs';

function checkNative(problems) {
  const listed = readText('native/sources.txt').split('\n').filter(Boolean);
  const unique = new Set(listed);
  for (const name of unique) {
    if (!existsSync(inRoot('native', name))) problems.push(`native/sources.txt names ${name}`);
    if (listed.filter((one) => one === name).length > 1) problems.push(`${name} is listed twice`);
  }
  const sources = filesBelow('native', ['.cc']);
  for (const file of sources) {
    if (!unique.has(file.slice('native/'.length))) {
      problems.push(`${file} is not in native/sources.txt`);
    }
  }
  const everything = [
    ...filesBelow('native', ['.cc', '.h']),
    ...filesBelow('test/native', ['.cc', '.h']),
    ...filesBelow('test/fuzz', ['.cc', '.h']),
  ];
  const included = new Set();
  for (const file of everything) {
    for (const [, name] of readText(file).matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)) {
      included.add(`native/${name}`).add(`test/native/${name}`).add(`test/fuzz/${name}`);
      included.add(path.posix.join(path.posix.dirname(file), name));
    }
  }
  for (const file of everything.filter((name) => name.endsWith('.h'))) {
    if (!included.has(file)) problems.push(`${file} is included by nothing`);
  }
}

function checkTypescript(problems) {
  const scripts = filesBelow('scripts', ['.mjs', '.cjs']).map(readText).join('\n');
  // The bundler's inputs, by the name of their output.
  const inputs = readText('scripts/bundle.mjs').matchAll(/: inRoot\('([^']+)'\)/g);
  const bundled = new Set([...inputs].map(([, file]) => file));
  const isRoot = (file) =>
    bundled.has(file) ||
    file === 'src/ui/main.tsx' ||
    file.endsWith('.test.ts') ||
    file.endsWith('.d.ts') ||
    scripts.includes(`dist/${file.replace(/\.ts$/, '.js')}`);
  const files = ['src', 'test', 'bench', 'examples'].flatMap((folder) =>
    filesBelow(folder, ['.ts', '.tsx']),
  );
  const reached = new Set();
  const walk = (file) => {
    if (reached.has(file) || !existsSync(inRoot(file))) return;
    reached.add(file);
    const text = readText(file);
    // Tests name the programs that they start by location: new URL('./x.js', import.meta.url).
    const started = [...text.matchAll(/new URL\('(\.[^']+\.)c?js', import\.meta\.url\)/g)];
    const imported = ts.preProcessFile(text, true, true).importedFiles.map((one) => one.fileName);
    for (const fileName of [...imported, ...started.map((match) => `${match[1]}js`)]) {
      if (!fileName.startsWith('.')) continue;
      walk(sourceOf(path.posix.join(path.posix.dirname(file), fileName)));
    }
  };
  files.filter(isRoot).forEach(walk);
  for (const file of files) if (!reached.has(file)) problems.push(`${file} is reached by nothing`);
}

await main(() => {
  const problems = [];
  checkNative(problems);
  checkTypescript(problems);
  return report('dead files', problems);
});
