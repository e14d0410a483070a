/** Chooses the HTTP server of the listeners; it is the same on every thread. */

import { AppError } from '../common/errors/app-error.js';
import { createNodeTransport } from '../http/transport/node-transport.js';
import { loadUwsTransport } from '../http/transport/uws-library.js';
import { socketCalls } from '../storage/native-storage.js';

import type { Settings } from '../config/settings.js';
import type { Transport } from '../http/transport/transport.js';

/** `addonPath`: another build of the addon. */
export function chooseTransport(settings: Settings, addonPath?: string): Transport {
  if (settings.transport !== 'uws') {
    return createNodeTransport({
      headerTimeoutMs: settings.header_timeout_ms,
      restTimeoutMs: settings.body_timeout_ms,
      sockets: socketCalls(addonPath),
    });
  }
  const uws = loadUwsTransport();
  if (typeof uws !== 'string') return uws;
  throw new AppError('invalid_configuration', uws);
}
