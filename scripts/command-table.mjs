// Generates the table of commands from the file names below src/cli/commands/, one command per
// file. `--check` only compares. Help lists commands in the order of the table. A new command is
// added at the end, and a line that you move stays there. This runs before compilation, so it uses
// only Node's own modules.
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
  const stems = commands.map(({ stem }) => stem);
  const listed = [...known.matchAll(/^  (\w+): /gm)].map(([, stem]) => stem);
  const kept = listed.filter((stem) => stems.includes(stem));
  const added = stems.filter((stem) => !kept.includes(stem));
  const entryOf = (stem) => commands.find((one) => one.stem === stem).entry;
  return [
    '// Made from the files in commands/ by scripts/command-table.mjs; only the order is yours.',
    '',
    "import type { AddCommand } from './session/command.js';",
    '',
    '/** By their names, in the order of the help. */',
    'export const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {',
    ...[...kept, ...added].map(
      (stem) => `  ${stem}: async () => (await import('./commands/${stem}.js')).${entryOf(stem)},`,
    ),
    '};',
    '',
  ].join('\n');
}

/** Writes the table if it is stale. With `isCheck`, only reports it. */
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
