/** The same writes to each database, measured by its CPU time. */
import { setTimeout as pause } from 'node:timers/promises';

import { removeDirectory, temporaryDirectory } from '../../test/support/server.js';

import { Connection } from '../connection.js';
import { buildLoad } from '../generator.js';
import type { WrittenLoad } from '../ingest/load.js';
import { sendAll } from '../ingest/ingest.js';
import { otlpLoad } from '../ingest/otlp.js';
import { remoteWriteLoad } from '../ingest/remote-write.js';

import { requestOf, type Form, type Peer, type Taken } from './peer.js';

const kBehindMs = 2_000;

interface Work {
  readonly name: string;
  readonly form: Form;
  readonly load: () => WrittenLoad;
}

const works: readonly Work[] = [
  ...([1, 10] as const).map((fieldsPerLine) => ({
    name: fieldsPerLine === 1 ? 'line protocol, one field' : 'line protocol, ten fields',
    form: 'line' as const,
    load: () => lineLoad(fieldsPerLine),
  })),
  { name: 'remote_write, ten labels', form: 'remoteWrite', load: () => remoteWriteLoad(120) },
  { name: 'OTLP, eight attributes', form: 'otlp', load: () => otlpLoad(120) },
];

function lineLoad(fieldsPerLine: 1 | 10): WrittenLoad {
  const steps = fieldsPerLine === 1 ? 1_000 : 4_000;
  const shape = {
    format: 'line protocol',
    hosts: 100,
    fieldsPerLine,
    values: 'integer walk',
  } as const;
  const warmUp = buildLoad({ ...shape, steps: 1 });
  const { bodies, samples } = buildLoad({ ...shape, steps });
  return { warmUp: warmUp.bodies, bodies, samples };
}

export interface WriteRow {
  readonly work: string;
  readonly peer: string;
  readonly samplesPerCpuSecond: number;
}

/** Measures the writes whose name contains `only`. */
export async function measureWrites(peers: readonly Peer[], only: string): Promise<WriteRow[]> {
  const rows: WriteRow[] = [];
  for (const work of works.filter(({ name }) => name.includes(only))) {
    const load = work.load();
    for (const peer of peers) {
      const taken = peer.takes[work.form];
      if (taken === undefined || isRefused(peer, work)) continue;
      console.log(`  writing ${work.name} to ${peer.name} …`);
      const samplesPerCpuSecond = await measure(peer, { ...work, taken }, load);
      rows.push({ work: work.name, peer: peer.name, samplesPerCpuSecond });
    }
  }
  return rows;
}

const isRefused = ({ takesNot }: Peer, { name }: Work): boolean =>
  takesNot !== undefined && name.includes(takesNot);

type TakenWork = Work & { readonly taken: Taken };

async function measure(peer: Peer, { form, taken }: TakenWork, load: WrittenLoad): Promise<number> {
  const folder = temporaryDirectory();
  const server = await peer.start(folder);
  try {
    const connection = await Connection.open(server.port);
    const requests = (bodies: readonly Uint8Array[]): Buffer[] =>
      bodies.map((body) => requestOf(form, taken, body));
    await sendAll(connection, requests(load.warmUp));
    const timed = requests(load.bodies);
    const before = server.cpuSeconds();
    await sendAll(connection, timed);
    connection.close();
    await pause(kBehindMs);
    return load.samples / (server.cpuSeconds() - before);
  } finally {
    await server.stop();
    removeDirectory(folder);
  }
}
