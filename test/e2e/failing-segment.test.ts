import { readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { Client, type Answer } from '../support/client.js';
import { segmentFile } from '../support/segment-files.js';
import {
  isSanitized,
  killServers,
  removeDirectory,
  runCommand,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const samples = 20_000;
// Values of full precision, so that the file has many pages.
const lines = Array.from(
  { length: samples },
  (_, i) => `{"metric":"m","ts":${String(i * 10)},"value":${String(Math.sin(i))}}\n`,
).join('');
const all = { metric: 'm', start: 0n, end: BigInt(samples * 10) };

describe('a segment that fails under a running server', function () {
  this.timeout(60_000);
  let dataDir: string;
  let server: Server;
  let client: Client;
  let file: string;
  beforeEach(async () => {
    dataDir = temporaryDirectory();
    server = await startServer({ dataDir });
    client = new Client(server.port);
    await client.ingest(lines);
    await restart();
    file = path.join(dataDir, segmentFile(dataDir, 1));
  });
  afterEach(async () => {
    client.close();
    await killServers();
    removeDirectory(dataDir);
  });

  async function restart(): Promise<void> {
    client.close();
    await server.stop();
    server = await startServer({ dataDir });
    client = new Client(server.port);
  }
  const rangeOf = async (start: number, end: number): Promise<Answer> =>
    client.get(`/api/v1/query/range?metric=m&start=${String(start)}&end=${String(end)}`);
  const sql = async (text: string): Promise<Answer> =>
    client.request('POST', '/api/v1/seriesql', { body: text });
  const status = async (): Promise<{ status: string; reasons?: string[] }> =>
    JSON.parse((await client.get('/status')).body) as { status: string; reasons?: string[] };

  // The file and the time range of one chunk, wherever it lies, or of a page of the directory.
  const told =
    /samples from \d+ to \d+ are in a damaged (chunk|directory): [0-9a-f]{64} at offset \d+: /;

  function assertTold(answer: Answer): void {
    assert.strictEqual(answer.status, 503, answer.body);
    const { code, error } = JSON.parse(answer.body) as { code: string; error: string };
    assert.strictEqual(code, 'storage_corrupt');
    assert.match(error, told);
  }

  async function assertDegraded(): Promise<void> {
    const { status: word, reasons = [] } = await status();
    assert.strictEqual(word, 'degraded');
    assert.match(reasons.join('\n'), told);
  }

  for (const isReadBefore of [false, true]) {
    const when = isReadBefore ? 'after it was read' : 'before it was read';
    it(`is cut ${when}: 503 with file and time range, and all else goes on`, async () => {
      if (isReadBefore) assert.lengthOf(await client.rangeGet(all), samples);
      truncateSync(file, Math.floor(statSync(file).size / 2));
      const last = samples * 10;
      assertTold(await rangeOf(last - 1000, last));
      assertTold(await sql('select sum(value) from m where time >= 0 and value > 0.5'));
      // The directory was behind the chunks, so the remaining chunks are unknown.
      assertTold(await rangeOf(0, 1000));
      assert.strictEqual((await rangeOf(last, last + 1000)).status, 200);
      await assertDegraded();
      assert.strictEqual(await client.ingest(`{"metric":"n","ts":${String(last)},"value":1}\n`), 1);
      assert.lengthOf(await client.rangeGet({ metric: 'n', start: all.end, end: all.end }), 1);
    });
  }

  it('is corrupted after a read: reported as fully as before', async () => {
    assert.lengthOf(await client.rangeGet(all), samples);
    const bytes = readFileSync(file);
    // The first chunk's magic and codecs. Written in place, so that the mapping shows it.
    bytes.fill(0xee, 24, 26);
    writeFileSync(file, bytes);
    assertTold(await rangeOf(0, 1000));
    await assertDegraded();
    assert.strictEqual((await rangeOf(samples * 10 - 1000, samples * 10)).status, 200);
  });

  it('is corrupted, and is readable again once repair checks a good file', async () => {
    client.close();
    await server.stop();
    const args = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
    server = await startServer({ dataDir, args });
    client = new Client(server.port);
    const good = readFileSync(file);
    const bytes = Buffer.from(good);
    bytes.fill(0xee, 24, 26);
    writeFileSync(file, bytes);
    assertTold(await rangeOf(0, 1000));
    const metrics = async (): Promise<string> => (await client.get('/metrics')).body;
    assert.match(await metrics(), /^seriesdb_segments_damaged 1$/m);
    assert.match(await metrics(), /^seriesdb_degraded\{reason="damaged_chunk"\} 1$/m);
    assert.match(await metrics(), /^seriesdb_degraded\{reason="disk"\} 0$/m);
    await assertDegraded();

    writeFileSync(`${file}.new`, good);
    renameSync(`${file}.new`, file);
    // The database still has the former file open.
    assertTold(await rangeOf(0, 1000));
    const url = ['--url', `http://127.0.0.1:${String(server.adminPort)}`];
    const dry = await runCommand(['repair', ...url, '--dry-run']);
    assert.match(dry.output, /a read found damage in the previous file/);
    assert.strictEqual((await status()).status, 'degraded');
    const repaired = await runCommand(['repair', ...url]);
    assert.strictEqual(repaired.code, 0, repaired.output);
    assert.lengthOf(await client.rangeGet(all), samples);
    assert.strictEqual((await status()).status, 'ok');
    assert.match(await metrics(), /^seriesdb_segments_damaged 0$/m);
    assert.match(await metrics(), /^seriesdb_degraded\{reason="damaged_chunk"\} 0$/m);
    assert.notMatch(await metrics(), /^seriesdb_degraded\{[^}]*\} [1-9]/m);
    const maps = readFileSync(`/proc/${String(server.pid)}/maps`, 'utf8');
    assert.notMatch(maps, /objects\/.*\(deleted\)/);
    assert.include(maps, file);
  });

  it('was truncated while no server ran: reported at start, and the rest is served', async () => {
    client.close();
    await server.stop();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    server = await startServer({ dataDir });
    client = new Client(server.port);
    const answer = await rangeOf(0, 1000);
    assert.strictEqual(answer.status, 503);
    assert.match(answer.body, /samples from 0 to \d+ .*[0-9a-f]{64}.*storage_corrupt/);
    // The affected series are unknown, so no answer may ignore the damage.
    for (const what of ['sum(value)', 'value', 'count(value), max(value)']) {
      const told = await sql(`select ${what} from m where time >= 0 and time <= 1000`);
      assert.strictEqual(told.status, 503, told.body);
      assert.match(told.body, /samples from 0 to \d+ .*[0-9a-f]{64}.*storage_corrupt/);
      const later = await sql(`select ${what} from m where time >= ${String(samples * 10)}`);
      assert.strictEqual(later.status, 404, later.body);
    }
    const { status: word, reasons = [] } = await status();
    assert.strictEqual(word, 'degraded');
    assert.match(reasons.join('\n'), /objects\/[0-9a-f]{2}\/[0-9a-f]{62} at offset \d+: /);
    assert.strictEqual(await client.ingest('{"metric":"n","ts":999999,"value":1}\n'), 1);
  });

  it('a SIGBUS outside of a segment still ends the process', async () => {
    assert.lengthOf(await client.rangeGet(all), samples);
    process.kill(server.pid, 'SIGBUS');
    const { code, signal } = await server.exit;
    // A sanitizer ends the process in its own way.
    assert.isTrue(isSanitized ? code !== 0 : signal === 'SIGBUS', String(code ?? signal));
  });
});
