/** An answer that fails after its first byte never looks complete, on both transports. */

import net from 'node:net';

import { expect } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const path = '/api/v1/seriesql';
const count = 30_000;

/** All bytes until the server ends the connection. */
function rawAnswer(port: number, accept: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setTimeout(20_000, () => {
      socket.destroy(new Error('the connection is still open'));
    });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
    socket.on('close', () => {
      resolve(text);
    });
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n`;
    socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}

for (const transport of ['uws', 'node'] as const) {
  describe(`an answer that fails midway, ${transport}`, () => {
    const directory = temporaryDirectory();
    let server: Server;
    let client: Client;
    before(async () => {
      const limits = ['--max-query-rows', String(count - 1)];
      const modes = ['--query-compiler-mode', 'legacy', '--transport', transport];
      server = await startServer({ dataDir: directory, args: [...modes, ...limits] });
      client = new Client(server.port);
      const lines = Array.from(
        { length: count },
        (_, at) => `{"metric":"m","labels":{},"ts":${at},"value":${at / 7}}\n`,
      );
      await client.ingest(lines.join(''));
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(directory);
    });

    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      it(`closes the connection without a proper end of the answer: ${accept}`, async () => {
        const text = await rawAnswer(
          server.port,
          accept,
          'select time, value from m where time >= 0',
        );
        expect(text).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(text.toLowerCase()).to.contain('transfer-encoding: chunked');
        expect(text.length).to.be.above(100_000);
        // Neither the last chunk nor the end of the JSON.
        expect(text).not.to.match(/\r\n0\r\n\r\n$/);
        expect(text).not.to.contain(']}');
        expect(text).not.to.contain('"stats"');
      });
    }

    it('is an error to a client, and the server keeps running', async () => {
      const cut = client.request('POST', path, { body: 'select * from m where time >= 0' });
      const failed = await cut.then(
        () => null,
        (error: unknown) => error,
      );
      expect(failed).to.be.instanceOf(Error);
      const fits = `select time from m where time > 0`;
      expect((await client.request('POST', path, { body: fits })).status).to.equal(200);
    });
  });
}
