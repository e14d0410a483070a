/**
 * The smoke part of the suite: little of everything, in seconds, on the Node.js that runs it.
 * `npm run check:nodes` runs this folder alone on every version that we support.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as zlib from 'node:zlib';

import { expect } from 'chai';

import { v8Flags } from '../../src/server/starting/v8-flags.js';
import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { runCli } from '../support/cli.js';
import { askCoded, codingsHere, decoded } from '../support/coded-client.js';
import { Client, maximumTs, minimumTs, type Sample } from '../support/client.js';
import { objectFiles } from '../support/segment-files.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';
import { addon } from '../native/addon.js';

const major = process.versions.node.split('.')[0] ?? '';
const textOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');

interface Report {
  readonly header: { readonly glibcVersionRuntime?: string };
}

/** The oldest glibc for which there is a binary of uWebSockets.js; null when there is none. */
function oldestGlibc(): string | null {
  const name = `@uwsjs/${process.platform}-${process.arch}-${major}`;
  const binaries = JSON.parse(textOf('scripts/uws-binaries.json')) as Partial<
    Record<string, { readonly glibc: string }>
  >;
  return binaries[name]?.glibc ?? null;
}

/** Whether a binary of uWebSockets.js loads here. */
function hasUws(): boolean {
  const { glibcVersionRuntime: ours } = (process.report.getReport() as Report).header;
  const oldest = oldestGlibc();
  if (oldest === null || ours === undefined) return false;
  return oldest.localeCompare(ours, 'en', { numeric: true }) <= 0;
}

const lines =
  '{"metric":"cpu","labels":{"host":"a"},"ts":9007199254740993,"value":-0}\n' +
  '{"metric":"cpu","labels":{"host":"b"},"ts":1000,"value":0.1}\n';
const statement = 'select tag.host as host, time, value from cpu where time >= 0 order by 1';

describe(`Node.js ${process.versions.node}`, function () {
  this.timeout(60_000);
  afterEach(killServers);

  it('loads the addon, which asks for Node-API 8', () => {
    expect(Number(process.versions.napi)).to.be.at.least(8);
    expect(addon).to.have.property('openEngine');
  });

  it(`gets our own transport, and uWebSockets.js where it loads: ${String(hasUws())}`, async () => {
    const { server } = await startConfigured('auto', '');
    const status = await ask(server.adminPort, '/__admin/status');
    expect(JSON.parse(status.body)).to.include({ transport: 'node' });
    expect((await server.stop()).code).to.equal(0);
    expect(transportNames).to.have.lengthOf(hasUws() ? 2 : 1);
  });

  it('starts with the flags of V8 that a server has on its command line', () => {
    const { status, stderr } = spawnSync(process.execPath, [...v8Flags, '-e', ''], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });

  it('has the transport that docs/install.md tells', () => {
    const row = textOf('docs/install.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${major} |`));
    const oldest = oldestGlibc();
    const told = oldest === null ? undefined : `| ${major} | \`uws\` from glibc ${oldest} on | `;
    expect(row?.slice(0, told?.length)).to.equal(told);
  });
});

for (const transport of transportNames) {
  describe(`a server on Node.js ${process.versions.node} over ${transport}`, function () {
    this.timeout(60_000);
    const dataDir = temporaryDirectory();
    let server: Server;
    let client: Client;
    const start = async (): Promise<void> => {
      const args = ['--transport', transport, '--admin-listen', '127.0.0.1:0'];
      server = await startServer({ dataDir, args, env: { SERIESDB_ADMIN_ENABLED: 'true' } });
      client = new Client(server.port);
    };
    const samplesOf = (host: string): Promise<Sample[]> =>
      client.rangeGet({ metric: 'cpu', labels: { host }, start: minimumTs, end: maximumTs });
    const expectAll = async (): Promise<void> => {
      expect(await samplesOf('a')).to.deep.equal([{ ts: 9007199254740993n, value: -0 }]);
      expect(await samplesOf('b')).to.deep.equal([{ ts: 1000n, value: 0.1 }]);
    };
    before(start);
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(dataDir);
    });

    it('takes samples and gives them back', async () => {
      expect(await client.ingest(lines)).to.equal(2);
      await expectAll();
    });

    it('answers SeriesQL as JSON, CSV and NDJSON', async () => {
      const query = async (accept: string): Promise<string> => {
        const headers = { accept };
        const options = { body: statement, headers };
        const { status, body } = await client.request('POST', '/api/v1/seriesql', options);
        expect(status, body).to.equal(200);
        return body;
      };
      expect(await query('application/json')).to.contain(
        '"rows":[["a",9007199254740993,-0],["b",1000,0.1]]',
      );
      expect(await query('text/csv')).to.equal(
        'host,time,value\r\na,9007199254740993,-0\r\nb,1000,0.1\r\n',
      );
      expect(await query('application/x-ndjson')).to.equal(
        '{"host":"a","time":9007199254740993,"value":-0}\n{"host":"b","time":1000,"value":0.1}\n',
      );
    });

    it(`compresses answers: ${codingsHere.join(', ')}`, async () => {
      expect(codingsHere.includes('zstd')).to.equal('createZstdCompress' in zlib);
      for (const coding of codingsHere) {
        const headers = { 'accept-encoding': coding };
        const answer = await askCoded(server.port, '/openapi.json', { headers });
        expect(answer.headers['content-encoding']).to.equal(coding);
        expect(JSON.parse(decoded(answer))).to.have.property('openapi');
      }
    });

    it('has everything after kill -9 and a new start', async () => {
      client.close();
      expect((await server.kill()).signal).to.equal('SIGKILL');
      await start();
      await expectAll();
    });

    it('flushes into a segment, and reads from it', async () => {
      const flushed = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
      expect(JSON.parse(flushed.body)).to.deep.equal({ status: 'flushed' });
      expect(objectFiles(dataDir)).not.to.be.empty;
      await expectAll();
    });

    it('is asked by the command line', async () => {
      const args = ['query', statement, '--format', 'csv', '--url', server.url];
      expect(await runCli(args)).to.deep.equal({
        code: 0,
        out: 'host,time,value\r\na,9007199254740993,-0\r\nb,1000,0.1\r\n',
        err: '',
      });
    });

    it('ends cleanly, and starts again with everything', async () => {
      client.close();
      expect((await server.stop()).code).to.equal(0);
      await start();
      await expectAll();
      client.close();
      expect((await server.stop()).code).to.equal(0);
    });
  });
}
