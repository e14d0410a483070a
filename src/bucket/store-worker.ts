/**
 * The thread that sends native code's requests to an object store. Threads of native code wait for
 * it, so it waits for nothing that may wait for them: it reads no file, looks up no name, and takes
 * no turn of libuv's pool. Keys, certificates and addresses come from the first thread.
 */

import { parentPort, workerData } from 'node:worker_threads';

import { thrownMessage } from '../common/errors/thrown-message.js';
import { loadAddon } from '../storage/native/load.js';

import { ReachedStore } from './reached-store.js';
import { serveStore } from './serve-store.js';
import { StoreCounts } from './store-counts.js';

import type {
  StoreThreadData,
  StoreThreadFailed,
  StoreThreadOrder,
  StoreThreadReady,
} from './store-calls.js';

function begin(): void {
  const port = parentPort;
  // Not a program: nobody would ask.
  if (port === null) throw new Error('store-worker is started by the server');
  const { addonPath, counts, ...reach } = workerData as StoreThreadData;
  const store = new ReachedStore(reach);
  const served = serveStore(loadAddon(addonPath).makeStore(), store, new StoreCounts(counts));
  port.on('message', (order: StoreThreadOrder) => {
    if (order.kind === 'reach') {
      try {
        store.reach(order.reach);
      } catch (error) {
        // Told at once: the event of an uncaught error comes late, or not at all.
        const failed: StoreThreadFailed = { failed: thrownMessage(error) };
        port.postMessage(failed);
        void served.close();
        throw error;
      }
      return;
    }
    void served.close().then(() => {
      port.close();
    });
  });
  const ready: StoreThreadReady = { share: served.number };
  port.postMessage(ready);
}

begin();
