// The width of native's doors: how many headers of ours an entry header includes, directly or not.
// The line "Entry:" in the README of a wing names its entry headers.

export const widthMax = 25;

/** The headers in the README of a wing between "Entry:" and the end of the paragraph. */
export function doorsOf(wing, readme) {
  const [, entry = ''] = /\bEntry: ([^]*?)(?:\n\n|$)/.exec(readme) ?? [];
  return [...entry.matchAll(/`([\w/]+\.h)`/g)].map((match) => `native/${wing}/${match[1]}`);
}

/** The files that a file includes, directly or not. `graph` has the direct ones of each file. */
function includedBy(file, graph) {
  const found = new Set();
  const waiting = [file];
  while (waiting.length > 0) {
    for (const target of graph.get(waiting.pop()) ?? []) {
      if (!graph.has(target) || found.has(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  return found;
}

/** One sentence for each door that is missing or too wide. */
export function doorProblems({ doors, graph }) {
  const problems = [];
  for (const door of doors) {
    if (!graph.has(door)) {
      problems.push(`${door}: the README of the wing names it, but it does not exist`);
      continue;
    }
    const width = includedBy(door, graph).size;
    if (width > widthMax)
      problems.push(`${door} includes ${width} headers; at most ${widthMax} may`);
  }
  return problems;
}
