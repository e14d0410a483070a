/** This build. */
import os from 'node:os';

import { startServer } from '../../test/support/server.js';

import { forms } from '../connection.js';

import { promRows, seriesdbRows } from './answers.js';
import { asksByPath, type Peer } from './peer.js';
import { promqlOfFields } from './promql.js';

export const seriesdb: Peer = {
  name: 'seriesdb',
  origin: 'npm run build',
  version: () => Promise.resolve('this build'),
  start: async (folder) => {
    // The program's default on up to four cores; tests use one thread.
    const args = ['--listeners', String(os.availableParallelism())];
    const server = await startServer({ dataDir: folder, args });
    const stop = async (): Promise<void> => {
      await server.stop();
    };
    return { port: server.port, cpuSeconds: () => server.cpuSeconds(), stop };
  },
  takes: forms,
  asks: ({ make }) => make,
  rows: seriesdbRows,
  isExact: true,
};

/** This build, queried in PromQL. */
export const seriesdbPromql: Peer = {
  ...seriesdb,
  name: 'seriesdb, PromQL',
  takes: { line: forms.line },
  // `seriesdb` measures these writes; here line protocol only fills the database.
  takesNot: 'line protocol',
  asks: asksByPath(promqlOfFields),
  rows: promRows,
  isExact: false,
};
