/** `npm run ui`: this clone's page, over its own server or another one. */

import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

import { assert } from 'chai';

import { rootFolder } from '../support/page-session.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

const children = new Set<ChildProcess>();

async function startPage(...more: string[]): Promise<string> {
  const flags = ['--port', '0', '--data-dir', temporaryDirectory(), ...more];
  const script = path.join(rootFolder, 'scripts/ui/dev.mjs');
  const child = spawn(process.execPath, [script, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let printed = '';
  for await (const piece of child.stdout.setEncoding('utf8')) {
    printed += String(piece);
    const found = /^The page is at (\S+)\//m.exec(printed)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`there is no page: ${printed}`);
}

describe('the page in development mode', () => {
  after(async () => {
    const ends = [...children].map(
      (child) =>
        new Promise((resolve) => {
          child.once('exit', resolve);
          child.kill('SIGTERM');
        }),
    );
    await Promise.all(ends);
    await killServers();
  });

  const write = (url: string): Promise<Response> =>
    fetch(`${url}/api/v1/ingest`, {
      method: 'POST',
      headers: { origin: url },
      body: '{"metric":"m","ts":1,"value":1}',
    });
  const metricsOf = async (url: string): Promise<string> =>
    (await fetch(`${url}/api/v1/metrics/find`, { method: 'POST', body: '{}' })).text();

  it('serves a database of its own', async () => {
    const url = await startPage();
    const page = await fetch(url);
    assert.strictEqual(page.status, 200);
    assert.include(page.headers.get('content-security-policy') ?? '', "default-src 'none'");
    const [, script = 'none'] = /src="(ui\/main-[^"]+)"/.exec(await page.text()) ?? [];
    assert.strictEqual((await fetch(`${url}/${script}`)).status, 200);
    assert.strictEqual((await write(url)).status, 200);
    assert.include(await metricsOf(url), '"m"');
  });

  it('uses the database of another server that serves no page', async () => {
    const other = await startServer({ dataDir: temporaryDirectory(), args: ['--ui', 'false'] });
    const url = await startPage('--server', other.url);
    assert.strictEqual((await fetch(url)).status, 200);
    assert.strictEqual((await write(url)).status, 200);
    assert.include(await metricsOf(other.url), '"m"');
  });
});
