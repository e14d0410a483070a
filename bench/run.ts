/**
 * `npm run bench`: measures a real server over real sockets and prints each figure with its target.
 * `--quick` sends less. `--only NAME` selects the groups whose name contains NAME. `--against
 * FOLDER` instead compares this build with the one in that folder. It fails if this build is over
 * three per cent slower. SERIESDB_SEED is the seed of requests. The exit code is 1 if a target is
 * missed.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { measureIngestBeside } from './beside.js';
import { measureBesideBodies } from './bodies.js';
import { measureCores } from './cores.js';
import { measureBesideDelete } from './deletes.js';
import { measureDiscovery } from './discovery.js';
import { measureDisk } from './disk.js';
import { measureActive } from './ingest/active.js';
import { measureIngest, measureNewHosts } from './ingest/ingest.js';
import { measureNewSeries } from './ingest/new-series.js';
import { measureRequests } from './ingest/requests.js';
import { measureKernels } from './kernels.js';
import { measurePromql } from './query/promql.js';
import { measureFleetQueries, measureQueries } from './query/query.js';
import {
  measurePaired,
  measurePairedFleet,
  measurePairedVariances,
  measurePairedYears,
} from './paired.js';
import { measureOtlp } from './ingest/otlp.js';
import { measureNeighbours } from './neighbours.js';
import { measureRange } from './query/range.js';
import { measureRemoteRead } from './remote-read.js';
import { measureRemoteWrite } from './ingest/remote-write.js';
import { seed } from './query/draw.js';
import { isMet, machine, printTable, writeResults, type Measurement } from './report.js';
import { measureStart } from './start.js';
import { measureSmall } from './small.js';
import { measureYears } from './query/years.js';
import { measureWire } from './wire.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Measure = (isQuick: boolean) => Promise<Measurement[]>;
const groups: Readonly<Record<string, Measure>> = {
  ingest: measureIngest,
  new_hosts: measureNewHosts,
  new_series: measureNewSeries,
  active: measureActive,
  requests: measureRequests,
  cores: measureCores,
  start: measureStart,
  remote_write: measureRemoteWrite,
  remote_read: measureRemoteRead,
  otlp: measureOtlp,
  range: measureRange,
  query: measureQueries,
  fleet: measureFleetQueries,
  promql: measurePromql,
  beside: measureIngestBeside,
  bodies: measureBesideBodies,
  neighbours: measureNeighbours,
  delete: measureBesideDelete,
  discovery: measureDiscovery,
  disk: measureDisk,
  small: measureSmall,
  years: measureYears,
  wire: measureWire,
  kernels: () => Promise.resolve(measureKernels(root)),
};

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
  },
});
process.exitCode = await run(flags.quick, flags.only, flags.against);

function pairedGroups(rival: string): Readonly<Record<string, Measure>> {
  return {
    paired: (isQuick) => measurePaired(rival, isQuick),
    fleet: (isQuick) => measurePairedFleet(rival, isQuick),
    years: (isQuick) => measurePairedYears(rival, isQuick),
    variance: () => measurePairedVariances(rival),
  };
}

async function run(isQuick: boolean, only: string, rival: string | undefined): Promise<number> {
  const all = rival === undefined ? groups : pairedGroups(rival);
  const chosen = Object.entries<Measure>(all).filter(([name]) => name.includes(only));
  if (chosen.length === 0) {
    console.error(`no group is called ${only}; there are ${Object.keys(all).join(', ')}`);
    return 2;
  }
  const { cpu, cores, node } = machine();
  console.log(`seriesdb bench on ${cpu}, ${String(cores)} cores, node ${node}`);
  console.log(`  what is asked is drawn from seed ${String(seed)}`);
  const measurements: Measurement[] = [];
  for (const [name, measure] of chosen) {
    console.log(`  measuring ${name} …`);
    measurements.push(...(await measure(isQuick)));
  }
  printTable(measurements);
  const file = writeResults(root, measurements, isQuick ? 'quick' : 'full');
  const missed = measurements.filter((one) => !isMet(one)).length;
  console.log(`\n${missed === 0 ? 'Every target is met.' : `${String(missed)} target(s) missed.`}`);
  console.log(`Written to ${file}`);
  return missed === 0 ? 0 : 1;
}
