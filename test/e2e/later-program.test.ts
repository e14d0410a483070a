/** Directories that a newer seriesdb wrote: a start names the file, and changes nothing. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { checksumOf } from '../golden/log-bytes.js';
import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

/** The place of the version, and the size of what the checksum behind it covers. */
interface Versioned {
  readonly versionAt: number;
  readonly size: (bytes: Buffer) => number;
}

const log: Versioned = { versionAt: 4, size: () => 16 };
const files: Readonly<Record<string, Versioned>> = {
  MANIFEST: log,
  CATALOG: log,
  REFS: log,
  'wal/': log,
  ROOT: { versionAt: 8, size: (bytes) => bytes.length - 4 },
};

describe('a database that a newer seriesdb wrote', function () {
  this.timeout(60_000);
  const written = temporaryDirectory();
  let dataDir = '';

  /** A flushed sample, and one that only the WAL has. */
  before(async () => {
    const server = await startServer({ dataDir: written });
    const client = new Client(server.port);
    await client.ingest('{"metric":"m","ts":1,"value":1}\n');
    client.close();
    assert.strictEqual((await server.stop()).code, 0);
    const again = await startServer({ dataDir: written });
    const writer = new Client(again.port);
    await writer.ingest('{"metric":"m","ts":2,"value":2}\n');
    writer.close();
    await again.kill();
  });
  after(async () => {
    await killServers();
    removeDirectory(written);
  });
  beforeEach(() => {
    dataDir = temporaryDirectory();
    // The killed server left its socket.
    const filter = (file: string): boolean => path.basename(file) !== 'SOCKET';
    cpSync(written, dataDir, { recursive: true, filter });
  });
  afterEach(() => {
    removeDirectory(dataDir);
  });

  /** The content of each file, but for the lock. */
  const contents = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(dataDir, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name !== 'LOCK')
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => [path.relative(dataDir, file), readFileSync(file, 'base64')]),
    );

  for (const [name, { versionAt, size }] of Object.entries(files)) {
    it(`is not opened, and the error names the file: ${name}`, async () => {
      const newest = readdirSync(path.join(dataDir, 'wal')).sort().at(-1) ?? '';
      const file = path.join(dataDir, name.endsWith('/') ? path.join(name, newest) : name);
      const bytes = readFileSync(file);
      const covered = size(bytes);
      bytes.writeUInt8(bytes.readUInt8(versionAt) + 1, versionAt);
      checksumOf(bytes.subarray(0, covered)).copy(bytes, covered);
      writeFileSync(file, bytes);
      const before = contents();
      const { code, output } = await runCommand(serveArguments({ dataDir }));
      assert.include([1, 2], code, output);
      assert.include(output, path.basename(file));
      assert.include(output, 'was written by a newer seriesdb');
      assert.deepEqual(contents(), before);
    });
  }
});
