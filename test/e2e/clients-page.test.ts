/** Runs the contents of docs/clients.md: its commands against a server, its programs, its SQL. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { assert } from 'chai';
import { DuckDBInstance } from '@duckdb/node-api';
import ts from 'typescript';

import { rootFolder } from '../support/page-session.js';
import { programFile } from '../support/program.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

const page = readFileSync(path.join(rootFolder, 'docs', 'clients.md'), 'utf8');

/** The texts of a language's code blocks; a block without a language has the empty name. */
function blocksOf(language: string): readonly string[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, text = '']) =>
    of === language ? [text] : [],
  );
}

interface Shown {
  readonly command: string;
  readonly answer: string;
}

/** The commands after `$`, each with the output below it. */
function shownIn(block: string): readonly Shown[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...answer] = text.trim().split('\n');
      return { command, answer: answer.join('\n').trim() };
    });
}

function samples(metric: string, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const ts = 1_700_000_000_000 + at * 1000;
    return `{"metric":"${metric}","labels":{"host":"a"},"ts":${ts},"value":${at / 8}}\n`;
  }).join('');
}

describe('docs/clients.md', function () {
  this.timeout(120_000);
  const token = 'secret';
  let folder = '';
  let url = '';
  before(async () => {
    folder = temporaryDirectory();
    const env = { SERIESDB_AUTH_TOKEN: token };
    url = (await startServer({ dataDir: path.join(folder, 'data'), env })).url;
  });
  after(async () => {
    await killServers();
    removeDirectory(folder);
  });

  const write = (name: string, content: string | Uint8Array): void => {
    writeFileSync(path.join(folder, name), content);
  };

  /** Runs in the folder, with `seriesdb` as the program. */
  async function run(command: string): Promise<string> {
    const text = `set -euo pipefail; seriesdb() { '${process.execPath}' '${programFile}' "$@"; }; ${command}`;
    const env = { ...process.env, SDB_URL: url, SDB_TOKEN: token };
    const child = spawn('bash', ['-c', text], { cwd: folder, env });
    child.stdin.end();
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => (out += piece));
    }
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.strictEqual(code, 0, `${command}\n${out}`);
    return out;
  }

  it('has commands that print the output shown', async () => {
    write('cpu.ndjson', samples('cpu.load', 3));
    write('disk.ndjson.gz', gzipSync(samples('disk.used', 299_997)));
    const shown = blocksOf('console').flatMap(shownIn);
    assert.isAtLeast(shown.length, 10);
    for (const { command, answer } of shown) {
      const out = await run(command);
      if (answer !== '') assert.strictEqual(plain(out), plain(answer), command);
    }
  });

  it('has working examples that load tables', async () => {
    write('cpu.csv', 'ts_ms,metric,value,host\n1700000000000,cpu.load,1,b\n');
    write('taxi.csv', 'timestamp,value\n2014-07-01 00:00:00,10844\n');
    write('top.csv', 'time,host,pid,user,system\n1700000000000,a,7,0.5,0.25\n');
    const taxi = readFileSync(path.join(rootFolder, 'examples/data/realKnownCause/nyc_taxi.csv'));
    await run('mkdir -p realKnownCause');
    write('realKnownCause/nyc_taxi.csv', taxi);
    const shown = blocksOf('').flatMap(shownIn);
    assert.isAtLeast(shown.length, 4);
    for (const { command, answer } of shown) {
      const out = await run(command);
      if (answer !== '') assert.strictEqual(plain(out), plain(answer), command);
      else assert.match(out, /^[12] samples from 1 input/, command);
    }
  });

  it('has statements with which DuckDB reads exported files', async () => {
    await run('seriesdb export --prefix cpu.load --output cpu.csv');
    await run('seriesdb export --prefix cpu.load --output cpu.parquet');
    const connection = await (await DuckDBInstance.create()).connect();
    const statements = blocksOf('sql')
      .join('')
      .split(';')
      .map((text) => text.trim());
    for (const text of statements.filter((one) => one !== '')) {
      const inFolder = text.replaceAll(/'(cpu\.\w+)'/g, `'${folder}/$1'`);
      const rows = (await connection.runAndReadAll(inFolder)).getRowObjectsJson();
      assert.isAtLeast(rows.length, 1, text);
      assert.hasAllKeys(rows[0], ['host', 'minute', 'avg("value")'], text);
    }
    connection.closeSync();
  });

  it('has programs that run', async () => {
    // Below the package, because the programs import it by name.
    const place = mkdtempSync(path.join(rootFolder, 'dist', 'clients-'));
    const env = { SERIESDB_AUTH_TOKEN: token };
    const empty = await startServer({ dataDir: path.join(folder, 'empty'), env });
    try {
      const programs = blocksOf('ts');
      assert.lengthOf(programs, 2);
      for (const [at, text] of programs.entries()) {
        const here = text
          .replace('http://127.0.0.1:8080', empty.url)
          .replace("'./metrics'", `'${folder}/metrics'`);
        const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
        const { outputText } = ts.transpileModule(here, { compilerOptions: options });
        const file = path.join(place, `${at}.mjs`);
        writeFileSync(file, outputText);
        const out = await run(`'${process.execPath}' '${file}'`);
        if (at === 0) assert.include(out, '1700000000000n 0.5\n');
        if (at === 0) assert.include(out, 'invalid_record 400 1\n');
      }
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

/** Removes text that differs between runs, and blanks around lines. */
function plain(text: string): string {
  const lines = text.replace(/ in [\d.]+ s$/gm, '').split('\n');
  const words = lines.map((line) => line.trim()).filter((line) => line !== '');
  return words.sort().join('\n');
}
