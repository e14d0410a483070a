/** Databases without a server. Each runs in its own process, which serves it. */
import { fileURLToPath } from 'node:url';

import { sqlRows } from './answers.js';
import type { Peer, Running } from './peer.js';
import { post, startProgram } from './programs.js';

const main = fileURLToPath(new URL('./inside/main.js', import.meta.url));

/** The database that `inside/main.ts` opens. */
export type EngineName = 'duckdb' | 'chdb';

export async function startInside(engine: EngineName, folder: string): Promise<Running> {
  return startProgram({
    ...{ program: process.execPath, probe: '/' },
    args: (port) => [main, engine, folder, String(port)],
  });
}

/** Common parts of these databases. */
export const embedded: Pick<Peer, 'settle' | 'rows' | 'isExact'> = {
  settle: async (port) => {
    await post(port, '/settle');
  },
  rows: sqlRows,
  isExact: true,
};
