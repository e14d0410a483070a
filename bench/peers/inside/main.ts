/**
 * `main.js ENGINE FOLDER PORT`: a process around a database without a server, to measure its cost
 * like a server's. This includes the cost of HTTP, about 0.03 ms of CPU per request. A service
 * around the database would have that cost, too.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { openChdb } from './chdb.js';
import { openDuckdb } from './duckdb.js';
import type { Engine, Session } from './engine.js';

const [name = '', folder = '', port = ''] = process.argv.slice(2);
const engine: Engine = name === 'chdb' ? openChdb(folder) : await openDuckdb(folder);
const sessions = new WeakMap<Socket, Promise<Session>>();

const server = createServer((request, response) => {
  answer(request).then(
    (text) => response.end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  engine.close();
  process.exit(0);
});

async function answer(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const session = await sessionOf(request.socket);
  if (request.url === '/query') return session.query(body.toString());
  if (request.url === '/insert') await session.insert(body);
  if (request.url === '/settle') await engine.settle();
  return '';
}

async function sessionOf(socket: Socket): Promise<Session> {
  const known = sessions.get(socket) ?? engine.session();
  sessions.set(socket, known);
  return known;
}
