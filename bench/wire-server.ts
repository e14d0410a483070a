/**
 * A minimal server for `wire.ts`. Its answer has as many bytes as the path says. It reports its CPU
 * time.
 */
import { loadUwsTransport } from '../src/http/transport/uws-library.js';
import { createNodeTransport } from '../src/http/transport/node-transport.js';
import { UnreadAnswers } from '../src/http/transport/unread-answers.js';
import { socketCalls } from '../src/storage/native-storage.js';

import type { Transport } from '../src/http/transport/transport.js';

const kinds: Readonly<Record<string, () => Transport | string>> = {
  uws: loadUwsTransport,
  streams: createNodeTransport,
  node: () => createNodeTransport({ sockets: socketCalls() }),
};

const transport = kinds[process.argv[2] ?? '']?.() ?? 'there is no such transport';
if (typeof transport === 'string') throw new Error(transport);
const listener = await transport.listen({
  address: { host: '127.0.0.1', port: 0 },
  tls: null,
  connections: { open: () => true, close: () => undefined },
  unread: new UnreadAnswers(() => Infinity),
  accept: (exchange) => {
    const body = new Uint8Array(Number(exchange.head.path.slice(1)));
    exchange.answer({ status: 200, contentType: 'application/json' }, body, { closes: false });
  },
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.send?.(listener.address.port);
