import { once } from 'node:events';
import { connect } from 'node:net';

import { expect } from 'chai';

import { anyUnread, startInjected, transports } from '../support/http-server.js';

for (const transport of transports) {
  describe(`a stop over ${transport.name}`, () => {
    it('answers a request that waits in a newly accepted socket', async () => {
      const test = startInjected();
      let accepted = (): void => undefined;
      const isAccepted = new Promise<void>((resolve) => (accepted = resolve));
      const listener = await transport.listen({
        address: { host: '127.0.0.1', port: 0 },
        tls: null,
        connections: {
          open: () => {
            accepted();
            return true;
          },
          close: () => undefined,
        },
        unread: anyUnread(),
        accept: (exchange) => {
          test.service.accept(exchange);
        },
      });
      const client = connect(listener.address.port, '127.0.0.1');
      let came = '';
      client.setEncoding('utf8').on('data', (text: string) => (came += text));
      await Promise.all([once(client, 'connect'), isAccepted]);
      client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const isClosed = once(client, 'close');
      test.service.beginStop();
      await listener.stopAccepting();
      await test.service.drain(1_000);
      listener.close();
      await isClosed;
      test.close();
      expect(came).to.match(/^HTTP\/1.1 200 OK\r\n[^]*\r\nconnection: close\r\n/i);
    });
  });
}
