/** VictoriaMetrics as a server. */
import { promRows } from './answers.js';
import { asksByPath, type Peer } from './peer.js';
import { startProgram, versionOf } from './programs.js';
import { promqlWithExport } from './promql.js';

export const victoriaMetrics: Peer = {
  name: 'VictoriaMetrics',
  origin: 'victoria-metrics of Debian',
  version: () => Promise.resolve(versionOf('victoria-metrics', '-version')),
  start: async (folder) =>
    startProgram({
      ...{ program: 'victoria-metrics', probe: '/health' },
      args: (port) => [
        ...[`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${String(port)}`],
        '-retentionPeriod=100y',
      ],
    }),
  takes: {
    ...{ line: { path: '/api/v2/write' }, remoteWrite: { path: '/api/v1/write' } },
    otlp: { path: '/opentelemetry/v1/metrics' },
  },
  asks: asksByPath(promqlWithExport),
  rows: promRows,
  isExact: false,
};
