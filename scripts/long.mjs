// `npm run check:long [-- WORD] [--rounds N] [--seconds N]`: what takes hours, and is no part of
// `.ci/run`: the whole suite N times (default 10) beside eight busy processes, the server under
// mixed load for N seconds (default 3600) with each sanitizer, every other test with
// AddressSanitizer, and each fuzz target for a sixth of these seconds. WORD selects steps by name.
// Every step runs, also after a failure. The last lines say which steps failed.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

import { ScriptError, main, runNode } from './project.mjs';

const busyCount = 8;

function readArguments() {
  const options = {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3600' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const wrong = Object.values(values).find((text) => !/^[1-9]\d*$/.test(text));
  if (wrong !== undefined) throw new ScriptError(`"${wrong}" is not a number above 0`);
  const [word = ''] = positionals;
  return { rounds: Number(values.rounds), seconds: Number(values.seconds), word };
}

/** Keeps every core busy until `stop`. A test whose limit is too narrow fails beside that. */
function beginLoad() {
  // It ends with its parent, whatever ends that.
  const loop =
    'const { ppid } = process; while (process.ppid === ppid) for (let i = 1e8; i > 0; i--);';
  const all = Array.from({ length: busyCount }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );
  return () => all.forEach((one) => one.kill('SIGKILL'));
}

function runBesideLoad(args) {
  const stop = beginLoad();
  try {
    return runNode(args);
  } finally {
    stop();
  }
}

function stepsOf({ rounds, seconds }) {
  const suite = Array.from({ length: rounds }, (_, at) => ({
    name: `suite beside a load, ${at + 1} of ${rounds}`,
    run: () => runBesideLoad(['scripts/test.mjs']),
  }));
  const step = (name, args) => ({ name, run: () => runNode(args) });
  const fuzzed = String(Math.max(1, Math.floor(seconds / 6)));
  return [
    ...suite,
    step('address sanitizer', ['scripts/sanitize.mjs', 'address', '--seconds', String(seconds)]),
    step('thread sanitizer', ['scripts/sanitize.mjs', 'thread', '--seconds', String(seconds)]),
    step('every test with the address sanitizer', ['scripts/sanitize.mjs', 'address', '--all']),
    step('fuzz targets', ['scripts/fuzz.mjs', '--seconds', fuzzed]),
  ];
}

await main(() => {
  const asked = readArguments();
  const steps = stepsOf(asked).filter(({ name }) => name.includes(asked.word));
  if (steps.length === 0) throw new ScriptError(`no step has "${asked.word}" in its name`);
  const results = steps.map(({ name, run }) => {
    console.log(`\n== ${name}`);
    const began = performance.now();
    const code = run();
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    return { text: `${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${minutes} min)`, code };
  });
  console.log(`\n${results.map(({ text }) => text).join('\n')}`);
  return results.every(({ code }) => code === 0) ? 0 : 1;
});
