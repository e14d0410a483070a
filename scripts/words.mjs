// Words that do not belong in the tree: notes to self without an issue number, paths of one
// machine, focused tests, names of a namespace for every file of a unity unit.
import { existsSync } from 'node:fs';

import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const banned = [
  // Written so that this file does not find itself.
  [
    new RegExp(`\\b(TO${''}DO|FIX${''}ME|XX${''}X|HA${''}CK)\\b(?!\\(#\\d+\\))`),
    'needs an issue number: (#12)',
  ],
  [new RegExp(`(?<![\\w.-])/(wo${''}rk|home|root|Users)/\\w`), 'is a path of one machine'],
  [new RegExp(`\\b(describe|it|suite)\\.on${''}ly\\(`), 'runs only one test'],
];
// A unit of a unity build is several files: what one of them opens is open in all that follow, and
// which these are changes with the size of the batches.
const bannedInNative = [[/^using namespace .*/, 'belongs into the function that needs it']];

await main(() => {
  const folders = ['native', 'src', 'test', 'bench', 'examples', 'scripts', 'docs', '.ci'];
  const endings = ['.cc', '.h', '.ts', '.tsx', '.css', '.mjs', '.cjs', '.md', '.txt', 'run'];
  const top = ['README.md', 'ARCHITECTURE.md', 'STYLE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const files = [...folders.flatMap((folder) => filesBelow(folder, endings)), ...top];
  const problems = [];
  for (const file of files.filter((name) => existsSync(inRoot(name)))) {
    const bannedHere = file.startsWith('native/') ? [...banned, ...bannedInNative] : banned;
    readText(file)
      .split('\n')
      .forEach((line, at) => {
        for (const [pattern, reason] of bannedHere) {
          const match = pattern.exec(line);
          if (match) problems.push(`${file}:${at + 1}: "${match[0]}" ${reason}`);
        }
      });
  }
  return report('words', problems);
});
