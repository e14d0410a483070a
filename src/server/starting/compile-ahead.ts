/**
 * The installation runs this twice, with a server's flags and without. It serves a few requests
 * from a temporary directory. Then it stores the code that V8 compiled for them beside the program,
 * or with `--cache` in the user's cache. Without it, starts only take longer.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Chunks } from './chunks.js';
import { givenFlags } from './v8-flags.js';

interface Program {
  readonly run: (argv: readonly string[]) => Promise<number>;
}

const chunks = new Chunks(fileURLToPath(new URL('./', import.meta.url)), givenFlags());
const { run } = chunks.load('program.cjs') as Program;

/** Calls back with the server's listen address. Hides the output of the server. */
function hearAddress(heard: (address: string) => void): void {
  process.stdout.write = (text: string | Uint8Array): boolean => {
    const address = / listening on (\S+)/.exec(String(text))?.[1];
    if (address !== undefined) heard(address);
    return true;
  };
}

/** Each has another host, since a statement like an earlier one takes another path. */
const statements = ['a', 'b', 'c', 'd'].map(
  (host) =>
    `select time_bucket(1m, time) as t, max(value) from cpu{host='${host}'} ` +
    'where time >= 0 and time < 3600000 group by t',
);
const hour = 'start=0&end=3600&step=60';

/** Typical first requests of clients, as path and body. Without a body, the method is GET. */
const requests: readonly (readonly [string, string?])[] = [
  ['/api/v1/ingest', '{"metric":"cpu","labels":{"host":"a"},"ts":1000,"value":1.5}'],
  ['/api/v2/write', 'cpu,host=a value=1.5 2000000000'],
  ...statements.map((query) => ['/api/v1/seriesql', JSON.stringify({ query })] as const),
  ['/api/v1/query/range', '{"metric":"cpu","labels":{"host":"a"},"start":0,"end":3600000}'],
  ['/api/v1/series/find', '{"metric":"cpu","labels":{"host":"a"}}'],
  [`/api/v1/query_range?${hour}&query=sum+by+(host)+(rate(cpu{host=~"a|b"}[5m]))`],
  [`/api/v1/query_range?${hour}&query=max(cpu)+/+min(cpu)`],
  ['/api/v1/query?time=1&query=cpu'],
  ['/api/v1/label/host/values?match[]=cpu'],
];

/** Ignores the answers. */
async function askAll(address: string): Promise<void> {
  for (const [where, body] of requests) {
    const isJson = body?.startsWith('{') === true;
    const headers = { 'content-type': isJson ? 'application/json' : 'text/plain' };
    const asked = body === undefined ? {} : { method: 'POST', headers, body };
    const answer = await fetch(address + where, asked);
    await answer.arrayBuffer();
  }
}

async function compileAhead(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'seriesdb-'));
  hearAddress((address) => {
    void askAll(address).finally(() => process.kill(process.pid, 'SIGTERM'));
  });
  const data = ['--data-dir', path.join(folder, 'data'), '--config', '/dev/null'];
  const serving = ['--listen', '127.0.0.1:0', '--listeners', '1', '--log-level', 'error'];
  try {
    process.exitCode = await run(['serve', ...data, ...serving]);
    chunks.keep(process.argv.includes('--cache') ? 'cached' : 'beside');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void compileAhead();
