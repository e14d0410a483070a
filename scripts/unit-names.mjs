// No two C++ files that may be compiled as one have a name without linkage for different things.
// Which files meet in a unit changes with every file that comes or goes, so that such a name waits
// for somebody else to break the build of one kind of unit.
import { main, readText, report } from './project.mjs';

// Files in the largest unit.
const batches = readText('CMakeLists.txt').matchAll(/UNITY_BUILD_BATCH_SIZE (\d+)/g);
const unitSize = Math.max(...Array.from(batches, ([, size]) => Number(size)));
// They are compiled apart.
const isApart = (file) => /^codec\/kernels|^digest\/sha256_|^ndjson\/simdjson/.test(file);

const files = readText('native/sources.txt').split('\n').filter(Boolean);

/** Constants, types and functions of the file's nameless namespaces, each with its declaration. */
function namesOf(file) {
  const found = new Map();
  for (const [, body] of readText(`native/${file}`).matchAll(
    /namespace \{\n(.*?)\n\}  \/\/ namespace\n/gs,
  )) {
    for (const [, name] of body.matchAll(/^(?:constexpr|const) [\w:<>, *]+ (k\w+)\b/gm)) {
      found.set(name, name);
    }
    for (const [, name] of body.matchAll(/^(?:struct|class|enum class) (\w+)\b/gm)) {
      found.set(name, name);
    }
    for (const [, name, parameters] of body.matchAll(
      /^(?!using|struct|class|template|__)[\w:<>*&][\w:<>,*& ]* (\w+)\(([^)]*)\)[^;{]*\{/gm,
    )) {
      // Of equal types: others are overloads.
      const types = parameters.replaceAll(/\s+/g, ' ').replaceAll(/ ?\b\w+(?=,|$)/g, '');
      found.set(`${name}(${types})`, name);
    }
  }
  return found;
}

await main(() => {
  const problems = [];
  const last = new Map();
  for (const [at, file] of files.entries()) {
    if (isApart(file)) continue;
    for (const [declared, name] of namesOf(file)) {
      const before = last.get(declared);
      if (before !== undefined && at - before < unitSize) {
        problems.push(`native/${file}: ${name} is a name of native/${files[before]}, too`);
      }
      last.set(declared, at);
    }
  }
  return report('names in units', problems);
});
