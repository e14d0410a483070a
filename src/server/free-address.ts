/** Checks that an address is free, before a new database is created for it. */

import { createServer } from 'node:net';

import { AppError } from '../common/errors/app-error.js';
import { printListenAddress, type ListenAddress } from '../common/model/listen-address.js';

/** Listens on the address for a moment. Rejects with `listen_failed`. */
export function checkFree({ host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (cause) => {
      const place = printListenAddress({ host, port });
      const message = `cannot listen on ${place}: ${cause.message}; --listen takes another address`;
      reject(new AppError('listen_failed', message, { cause }));
    });
    probe.listen({ host, port }, () => {
      probe.close(() => {
        resolve();
      });
    });
  });
}
