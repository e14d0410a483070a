/** Measures how much slower ingest of known series is if many series are active. */
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';

import { fleetBodies, metrics } from '../generator.js';
import { fillWith } from '../query/query.js';
import { reach } from '../reach.js';
import type { Measurement } from '../report.js';

/** Ten thousand series compared with a million, with equally many samples; `--quick`: 100,000. */
export async function measureActive(isQuick: boolean): Promise<Measurement[]> {
  const [fewHosts, manyHosts, steps] = [1_000, isQuick ? 10_000 : 100_000, 6];
  const few = await rateOf(fewHosts, steps * (manyHosts / fewHosts));
  const many = await rateOf(manyHosts, steps);
  const rate = (hosts: number, figure: number): string =>
    `${(figure / 1e6).toFixed(2)} M/s of CPU with ${(hosts * metrics.length).toLocaleString('en')}`;
  return [
    {
      name: `ingest by ${(manyHosts * metrics.length).toLocaleString('en')} series, slower by`,
      value: (1 - many / few) * 100,
      unit: '%',
      target: { most: reach.activeFallPercent },
      note: `${rate(fewHosts, few)}, ${rate(manyHosts, many)}; ten fields a line`,
    },
  ];
}

/** Samples per second of the server's CPU time, after each series has a sample. */
async function rateOf(hosts: number, steps: number): Promise<number> {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    await fillWith(server, fleetBodies(hosts, 1));
    const before = server.cpuSeconds();
    await fillWith(server, fleetBodies(hosts, steps, 1));
    return (hosts * metrics.length * steps) / (server.cpuSeconds() - before);
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}
