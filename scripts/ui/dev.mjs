// `npm run ui [-- --server URL] [--port N] [--data-dir FOLDER]`: serves the built-in page for
// development. When you save a source, the page is rebuilt, and the next reload shows it. Page and
// assets come from a server of this clone with its own data directory and the usual headers. All
// other requests go there, too, or to the server of `--server`.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { parseArgs } from 'node:util';

import { ScriptError, inRoot, main, runAside } from '../project.mjs';
import { pageRooms, setup } from '../setup.mjs';

/** An editor saves in several steps. */
const kRestMs = 100;

const stopped = new Set();
let child = null;
process.on('exit', () => child?.kill('SIGKILL'));

/** Starts a server with the current page. Returns its address. */
function start(dataDir) {
  const flags = ['--data-dir', dataDir, '--listen', '127.0.0.1:0', '--log-level', 'warn'];
  const own = spawn(process.execPath, [inRoot('dist/bin/seriesdb.js'), 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = own;
  return new Promise((resolve, reject) => {
    own.stdout.setEncoding('utf8').on('data', (text) => {
      const port = /listening on http:\/\/[^\s:]+:(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve(new URL(`http://127.0.0.1:${port}`));
    });
    own.once('exit', (code) => {
      if (!stopped.has(own)) reject(new ScriptError(`the server ended with ${code}`));
    });
  });
}

/** Stops the running server, since two servers cannot share a data directory. */
async function stop() {
  const last = child;
  if (last === null) return;
  stopped.add(last);
  const ended = new Promise((resolve) => last.once('exit', resolve));
  last.kill('SIGTERM');
  await ended;
}

/** Forwards a request unchanged. `Host` stays, since it must match `Origin`. */
function passOn(request, response, to) {
  const { request: ask } = to.protocol === 'https:' ? https : http;
  const { method, headers, url } = request;
  const onward = ask(new URL(url, to), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  onward.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

const isOfPage = (url) => /^\/(ui\/.*)?([?#]|$)/.test(url);

/** Calls `then` after sources were saved. Saves during a call lead to another call. */
function onSaved(then) {
  let timer;
  let running = Promise.resolve();
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(then);
    }, kRestMs);
  };
  for (const room of pageRooms) watch(inRoot(room), { recursive: true }, later);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      server: { type: 'string' },
      port: { type: 'string', default: '8081' },
      'data-dir': { type: 'string', default: inRoot('build/ui-data') },
    },
  });
  if (values.server !== undefined && !URL.canParse(values.server)) {
    throw new ScriptError(`--server is no address: ${values.server}`);
  }
  return values;
}

await main(async () => {
  const { server, port, 'data-dir': dataDir } = readArguments();
  await setup({ onlyProgram: true });
  let own = await start(dataDir);
  const listener = http.createServer((request, response) => {
    const isRemote = server !== undefined && !isOfPage(request.url);
    passOn(request, response, isRemote ? new URL(server) : own);
  });
  await new Promise((resolve, reject) => {
    listener.once('error', (error) => reject(new ScriptError(`port ${port}: ${error.code}`)));
    listener.listen(Number(port), '127.0.0.1', resolve);
  });
  console.log(`The page is at http://127.0.0.1:${listener.address().port}/`);
  console.log(`Its data: ${server ?? dataDir}. Saved sources are there after a reload.`);
  onSaved(async () => {
    const code = await runAside(process.execPath, ['scripts/ui/build.mjs']);
    if (code !== 0) return;
    await stop();
    own = await start(dataDir);
    console.log('built again');
  });
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
  await stop();
  process.exit(0);
});
