/** A reload that the storage refuses, beside certificates that were renewed. */
import { assert } from 'chai';

import { resolveSettings } from '../../src/config/resolve.js';
import { settingsFromFile } from '../../src/config/from-file.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { openGate } from '../../src/server/gate.js';
import { openBackups } from '../../src/open-backups.js';
import { startServer } from '../../src/start-server.js';
import { createLog } from '../../src/telemetry/log.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { FakeStorage } from '../support/fake-storage.js';
import { temporaryDirectory } from '../support/server.js';

import type { Listener, Transport } from '../../src/http/transport/transport.js';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

class Refusing extends FakeStorage {
  isRefusing = false;

  override configure(): void {
    if (this.isRefusing) throw new AppError('invalid_configuration', 'these limits are refused');
  }
}

describe('a reload', () => {
  it('renews no certificate and changes nothing when the storage refuses its limits', async () => {
    const { toml } = certificateFiles(makeCertificate('first'));
    const file = path.join(temporaryDirectory(), 'seriesdb.toml');
    const write = (level: string): void => {
      writeFileSync(file, `${toml}log_level = "${level}"\nlisten = "127.0.0.1:0"\n`);
    };
    write('info');
    const resolveAgain = () => resolveSettings({ file: settingsFromFile(file) });
    let renewed = 0;
    const listener: Listener = {
      address: { host: '127.0.0.1', port: 1 },
      prepareTls: () => () => {
        renewed += 1;
      },
      shareWith: () => undefined,
      stopAccepting: () => Promise.resolve(),
      close: () => undefined,
    };
    const transport: Transport = {
      name: 'node',
      listen: () => Promise.resolve(listener),
      share: () => {
        throw new Error('there is one thread');
      },
    };
    const log = createLog({ level: 'info', sink: () => undefined });
    const storage = new Refusing();
    const server = await startServer({
      source: { resolved: resolveAgain(), resolveAgain },
      storage,
      openState: () => Promise.reject(new Error('nobody asks')),
      transport,
      ...(await openGate(log, 1)),
      page: null,
      log,
      version: '0',
      commit: 'unknown',
      addonPath: undefined,
      listenerHeapMb: 512,
      bucket: null,
      backups: openBackups({
        ...{ settings: resolveAgain().settings, environment: {} },
        ...{ storage, addonPath: undefined, log },
      }),
    });
    storage.isRefusing = true;
    write('debug');
    const refused = await server.reload().catch((error: unknown) => error);
    assert.instanceOf(refused, AppError);
    assert.deepEqual([renewed, log.takes('debug')], [0, false]);
    storage.isRefusing = false;
    assert.include((await server.reload()).changed, 'log_level');
    assert.deepEqual([renewed, log.takes('debug')], [1, true]);
    await server.stop();
  });
});
