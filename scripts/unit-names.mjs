// Checks that the core compiles as one unity unit. Adjacent files share a unit, and the grouping
// changes with each added file and with the build. So the compiler checks all files as one, with
// the build's warnings. It finds duplicate helper names and constants that shadow another file's
// before a build breaks.
import { spawnSync } from 'node:child_process';

import { ScriptError, inRoot, main, readText, report } from './project.mjs';

const commands = 'build/native/compile_commands.json';
// These files have one set of names per instruction set, or are third-party code.
const isApart = (file) => /^binding\/|^format\/codec\/kernels|^ingest\/ndjson\/simdjson/.test(file);

/** The compiler command of a unit of the core. */
function compilation() {
  let known;
  try {
    known = JSON.parse(readText(commands));
  } catch {
    throw new ScriptError(`${commands} is missing: "npm run build" writes it`);
  }
  const one = known.find(({ file }) => file.includes('seriesdb_core.dir/Unity/'));
  if (one === undefined) throw new ScriptError(`${commands} knows no unit of the core`);
  const [start] = one.command.split(' -o ');
  return { directory: one.directory, command: `${start} -fsyntax-only -x c++ -` };
}

await main(() => {
  const { directory, command } = compilation();
  const files = readText('native/sources.txt').split('\n').filter(Boolean);
  const unit = files
    .filter((file) => !isApart(file))
    .map((file) => `#include "${inRoot('native', file)}"\n`);
  const { status, stderr } = spawnSync(command, {
    cwd: directory,
    shell: true,
    input: unit.join(''),
    encoding: 'utf8',
  });
  const problems = stderr.split('\n').filter((line) => line.includes('error:'));
  if (status !== 0 && problems.length === 0) throw new ScriptError(stderr);
  return report('names in units', problems);
});
