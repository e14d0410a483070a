/** Prometheus, with writes by remote_write. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { promRows } from './answers.js';
import { asksByPath, type Peer } from './peer.js';
import { startProgram, versionOf } from './programs.js';
import { promql } from './promql.js';
import { remoteWriteOf } from './remote-write.js';

const at = '/api/v1/write';

export const prometheus: Peer = {
  name: 'Prometheus',
  origin: 'prometheus of Debian',
  version: () => Promise.resolve(versionOf('prometheus', '--version')),
  start: async (folder) => {
    const config = path.join(folder, 'prometheus.yml');
    writeFileSync(config, '{}');
    return startProgram({
      ...{ program: 'prometheus', probe: '/-/ready' },
      args: (port) => [
        ...[`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`],
        '--storage.tsdb.retention.time=100y',
        ...[`--web.listen-address=127.0.0.1:${String(port)}`, '--web.enable-remote-write-receiver'],
      ],
    });
  },
  takes: { remoteWrite: { path: at } },
  filledWith: { path: at, body: remoteWriteOf },
  asks: asksByPath(promql),
  rows: promRows,
  isExact: false,
};
