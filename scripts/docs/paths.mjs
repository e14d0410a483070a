// Finds paths of the source tree in the text of a document that do not exist any more.

/** Folders at the top whose paths documents name in full. */
const tops = 'native|src|test|scripts|bench|docs|examples|contrib';
const inFull = new RegExp(`(?<![\\w/.-])(?:${tops})/[\\w./-]*\\w`, 'g');
/** A file in backquotes, which may omit the folders that its page is about. */
const inBackquotes = /`((?:[\w-]+\/)+[\w.-]+\.(?:cc|h|tsx?|mjs))`/g;
/** A part in capitals, as in `src/cli/commands/NAME.ts`, stands for any name. */
const hasPlaceholder = /(?:^|[/-])[A-Z]{4,}(?:[/.-]|$)/;
const isReadme = /\/README\.md$/;

/** `files` are paths from the root. */
export function knownPaths(files) {
  const paths = new Set();
  for (const file of files) {
    const parts = file.split('/');
    parts.forEach((_, at) => paths.add(parts.slice(0, at + 1).join('/')));
    parts.forEach((_, at) => paths.add(parts.slice(at).join('/')));
  }
  return paths;
}

export function* deadPaths(text, known) {
  const full = [...text.matchAll(inFull)].map(([found]) => found);
  const short = [...text.matchAll(inBackquotes)].map(([, found]) => found);
  for (const found of new Set([...full, ...short])) {
    // A benchmark makes it.
    if (found === 'bench/results' || known.has(found)) continue;
    if (!hasPlaceholder.test(found) || isReadme.test(found)) yield `${found} does not exist`;
  }
}
