/** InfluxDB 1, with line protocol for writes and InfluxQL for queries. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { influxRows } from './answers.js';
import { influxql } from './influxql.js';
import { asksByPath, type Peer } from './peer.js';
import { freePort, post, startProgram } from './programs.js';

export const influxdb: Peer = {
  name: 'InfluxDB',
  origin: 'influxdb of Debian',
  version: () => Promise.resolve(versionOfInfluxd()),
  start: async (folder) => {
    const backup = await freePort();
    const config = path.join(folder, 'influxdb.conf');
    const server = await startProgram({
      ...{ program: 'influxd', probe: '/ping' },
      args: (port) => {
        writeFileSync(config, configText({ folder, port, backup }));
        return ['-config', config];
      },
    });
    await post(server.port, `/query?q=${encodeURIComponent('CREATE DATABASE bench')}`);
    return server;
  },
  takes: { line: { path: '/write?db=bench&precision=ns' } },
  asks: asksByPath(influxql),
  rows: influxRows,
  isExact: true,
};

/** The version is a subcommand, not a flag. */
function versionOfInfluxd(): string | null {
  const { status, stdout } = spawnSync('influxd', ['version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

interface Places {
  readonly folder: string;
  readonly port: number;
  readonly backup: number;
}

/** The default configuration, without self-monitoring and logs. */
function configText({ folder, port, backup }: Places): string {
  return [
    `reporting-disabled = true`,
    `bind-address = "127.0.0.1:${String(backup)}"`,
    `[meta]\ndir = "${folder}/meta"`,
    `[data]\ndir = "${folder}/data"\nwal-dir = "${folder}/wal"\nquery-log-enabled = false`,
    `[monitor]\nstore-enabled = false`,
    `[http]\nbind-address = "127.0.0.1:${String(port)}"\nlog-enabled = false`,
  ].join('\n');
}
