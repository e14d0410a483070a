// Makes the table of commands from the names of their files: one file below src/cli/commands/ is
// one command. With --check it only compares. Help lists commands in the order of the table: a new
// one comes last, and a line that is moved by hand stays where it is. Runs before anything is
// compiled; only Node's own modules.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const table = 'src/cli/command-table.ts';

function tableText(known) {
  const commands = filesBelow('src/cli/commands', ['.ts']).map((file) => {
    const stem = path.basename(file, '.ts');
    const entry = `add-${stem}`.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    return { stem, entry };
  });
  const entries = commands.map(({ entry }) => entry);
  const listed = [...known.matchAll(/^  (\w+),$/gm)].map(([, entry]) => entry);
  const kept = listed.filter((entry) => entries.includes(entry));
  const added = entries.filter((entry) => !kept.includes(entry));
  return [
    '// Made from the files in commands/ by scripts/command-table.mjs; only the order is yours.',
    '',
    ...commands.map(({ stem, entry }) => `import { ${entry} } from './commands/${stem}.js';`),
    '',
    "import type { AddCommand } from './session/command.js';",
    '',
    '/** In the order of the help. */',
    'export const commands: readonly AddCommand[] = [',
    ...[...kept, ...added].map((entry) => `  ${entry},`),
    '];',
    '',
  ].join('\n');
}

/** Writes the table where it is stale; with `isCheck` says so. */
export function makeCommandTable(isCheck = false) {
  const known = existsSync(inRoot(table)) ? readText(table) : '';
  const text = tableText(known);
  if (known === text) return [];
  if (isCheck) return [`${table} is stale; run "npm run build"`];
  writeFileSync(inRoot(table), text);
  return [];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => {
    return report('table of commands', makeCommandTable(process.argv.includes('--check')));
  });
}
