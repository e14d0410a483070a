// Checks that every C++ file is used: .cc files by native/sources.txt, headers by an #include. knip
// checks the other files.
import { existsSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, inRoot, main, readText, report } from './project.mjs';

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

await main(() => {
  const problems = [];
  checkNative(problems);
  return report('dead files', problems);
});
