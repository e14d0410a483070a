// Generates the tables of SeriesQL functions from the file names below
// src/query/seriesql/functions/<kind>/, one function per file. `--check` only compares. Documents
// and hints list functions in the order of their table. A new function is added at the end, and a
// line that you move stays there. This runs before compilation, so it uses only Node's own modules.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const room = 'src/query/seriesql/functions';
const kinds = { scalar: 'Scalar', aggregate: 'Aggregate', window: 'Window' };

function tableOf(kind, type, known) {
  const files = filesBelow(`${room}/${kind}`, ['.ts']);
  const functions = files.map((file) => {
    const stem = path.basename(file, '.ts');
    const value = stem.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    const name = stem.replaceAll('-', '_');
    return { stem, value, entry: name === value ? name : `${name}: ${value}` };
  });
  const listed = [...known.matchAll(/^  (\w+(?:: \w+)?),$/gm)].map(([, entry]) => entry);
  const entries = functions.map(({ entry }) => entry);
  const kept = listed.filter((entry) => entries.includes(entry));
  const added = entries.filter((entry) => !kept.includes(entry));
  return [
    `// Made from the files in ${kind}/ by scripts/function-tables.mjs; only the order is yours.`,
    '',
    ...functions.map(({ stem, value }) => `import { ${value} } from './${kind}/${stem}.js';`),
    '',
    `import type { ${type}Function } from './${kind}-function.js';`,
    '',
    'const table = {',
    ...[...kept, ...added].map((entry) => `  ${entry},`),
    '};',
    '',
    `export type ${type}Name = keyof typeof table;`,
    '',
    '/** Each under the name that its file has. */',
    `export const ${kind}Functions: {`,
    `  readonly [Name in ${type}Name]: ${type}Function<Name>;`,
    '} = table;',
    '',
  ].join('\n');
}

/** Writes the stale tables. With `isCheck`, only reports them. */
export function makeFunctionTables(isCheck = false) {
  const problems = [];
  for (const [kind, type] of Object.entries(kinds)) {
    const file = `${room}/${kind}-functions.ts`;
    const known = existsSync(inRoot(file)) ? readText(file) : '';
    const text = tableOf(kind, type, known);
    if (known === text) continue;
    if (isCheck) problems.push(`${file} is stale; run "npm run build"`);
    else writeFileSync(inRoot(file), text);
  }
  return problems;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => {
    const isCheck = process.argv.includes('--check');
    return report('tables of functions', makeFunctionTables(isCheck));
  });
}
