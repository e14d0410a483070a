// Any files of the core may be compiled as one: which of them meet in a unit changes with every
// file that comes or goes, and with the kind of build. So all of them are looked at as one, by the
// compiler itself and with the warnings of the build: two helpers of one name, or a constant that
// hides another file's, are found before they break somebody else's build.
import { spawnSync } from 'node:child_process';

import { ScriptError, inRoot, main, readText, report } from './project.mjs';

const commands = 'build/native/compile_commands.json';
// They have one set of names for each instruction set, or are not ours.
const isApart = (file) => /^binding\/|^format\/codec\/kernels|^ingest\/ndjson\/simdjson/.test(file);

/** How a unit of the core is compiled here. */
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
