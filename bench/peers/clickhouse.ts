/** ClickHouse as a server, over HTTP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { removeDirectory, temporaryDirectory } from '../../test/support/server.js';

import { sqlRows } from './answers.js';
import { clickhouseSql, kInsert, kSettle } from './clickhouse-sql.js';
import { csvOf } from './csv.js';
import { asksAt, type Peer, type Running } from './peer.js';
import { isInstalled, post, startProgram } from './programs.js';

/** The reported version, which decides on the SQL. */
let version = '';

export const clickhouse: Peer = {
  name: 'ClickHouse',
  origin: 'clickhouse-server of Debian',
  version: async () => {
    if (!isInstalled('clickhouse-server')) return null;
    const folder = temporaryDirectory();
    const server = await startAlone(folder);
    version = (await post(server.port, '/', 'SELECT version()')).trim();
    await server.stop();
    removeDirectory(folder);
    return version;
  },
  start: async (folder) => {
    const server = await startAlone(folder);
    await post(server.port, '/', clickhouseSql(version).table);
    return server;
  },
  takes: { line: { path: `/?query=${encodeURIComponent(kInsert)}`, body: csvOf } },
  settle: async (port) => {
    await post(port, '/', kSettle);
  },
  asks: (question) =>
    asksAt('/?default_format=JSONCompact', clickhouseSql(version).words)(question),
  rows: sqlRows,
  isExact: true,
};

async function startAlone(folder: string): Promise<Running> {
  const config = path.join(folder, 'config.xml');
  for (const name of ['data', 'tmp']) mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'users.xml'), usersText);
  return startProgram({
    ...{ program: 'clickhouse-server', probe: '/ping' },
    args: (port) => {
      writeFileSync(config, configText(folder, port));
      return [`--config-file=${config}`];
    },
  });
}

/**
 * Debian's configuration as far as it differs from defaults: caches. Connections are as in newer
 * versions.
 */
const configText = (folder: string, port: number): string => `<yandex>
<logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<http_port>${String(port)}</http_port><listen_host>127.0.0.1</listen_host>
<keep_alive_timeout>10</keep_alive_timeout>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<uncompressed_cache_size>8589934592</uncompressed_cache_size>
<mark_cache_size>5368709120</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database>
</yandex>`;

const usersText = `<yandex><profiles><default></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>`;
