// Checks for text that is forbidden in the source tree: notes without an issue number, paths of one
// machine, focused tests. In native/ it also forbids `using namespace` outside of functions, and
// locks without a rank.
import { existsSync } from 'node:fs';

import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const banned = [
  // Split, so that this file does not match itself.
  [
    new RegExp(`\\b(TO${''}DO|FIX${''}ME|XX${''}X|HA${''}CK)\\b(?!\\(#\\d+\\))`),
    'needs an issue number: (#12)',
  ],
  [new RegExp(`(?<![\\w.-])/(wo${''}rk|home|root|Users)/\\w`), 'is a path of one machine'],
  [new RegExp(`\\b(describe|it|suite)\\.on${''}ly\\(`), 'runs only one test'],
];
// A unity unit consists of several files. A namespace opened in one is open in all that follow, and
// the grouping changes with the batch size.
const bannedInNative = [
  [/^using namespace .*/, 'belongs into the function that needs it'],
  [
    /\b(std::\w*mutex|std::condition_variable\w*|SharedMutex)\b/,
    'has no place in the order of locks: see common/base/lock_order.h',
    // The locks with a rank, and what they are made of.
    ['native/common/base/lock_order.h', 'native/common/base/locks.h'],
  ],
];

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
        for (const [pattern, reason, except = []] of bannedHere) {
          if (except.includes(file)) continue;
          const match = pattern.exec(line);
          if (match) problems.push(`${file}:${at + 1}: "${match[0]}" ${reason}`);
        }
      });
  }
  return report('words', problems);
});
