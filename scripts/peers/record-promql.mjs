// `node scripts/peers/record-promql.mjs [prometheus]`: records how Prometheus formats each text in
// test/promql/recorded.json, or why it refuses it. To add a text, add only the text itself. The
// tests compare our parser.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ScriptError, inRoot, main, readText } from '../project.mjs';

const file = 'test/promql/recorded.json';
const address = '127.0.0.1:19474';
const features = 'promql-experimental-functions,promql-duration-expr';
const inQuery = 'invalid parameter "query": ';

/** It may not answer in its first seconds. */
async function isUp() {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(`http://${address}/-/ready`).catch(() => null);
    if (answer?.ok) return true;
    await pause(100);
  }
  return false;
}

async function asked(text) {
  const body = new URLSearchParams({ query: text });
  const answer = await fetch(`http://${address}/api/v1/format_query`, { method: 'POST', body });
  const { status, data, error } = await answer.json();
  return status === 'success'
    ? { text, pretty: data }
    : { text, error: error.replace(inQuery, '') };
}

function start(program, folder) {
  writeFileSync(path.join(folder, 'prometheus.yml'), '{}\n');
  return spawn(
    program,
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      `--enable-feature=${features}`,
    ],
    { stdio: 'ignore' },
  );
}

await main(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'record-promql-'));
  const child = start(process.argv[2] ?? 'prometheus', folder);
  child.on('error', () => {});
  try {
    if (!(await isUp())) throw new ScriptError('Prometheus does not start');
    const rows = [];
    for (const { text } of JSON.parse(readText(file))) rows.push(await asked(text));
    const lines = rows.map((row) => `  ${JSON.stringify(row)}`);
    writeFileSync(inRoot(file), `[\n${lines.join(',\n')}\n]\n`);
    console.log(`${rows.length} texts`);
    return 0;
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
