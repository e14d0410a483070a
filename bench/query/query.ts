/** Measures SeriesQL queries: dashboards over few series, and sweeps over all. */
import type { Server } from '../../test/support/server.js';

import { Connection } from '../connection.js';
import { fleetBodies, hourMs, loadBodies, stepMs } from '../generator.js';
import type { Measurement } from '../report.js';

import { measureQuestions } from './measure.js';
import { fleetStatements, statements } from './statements.js';

/** S: 100 hosts for three days; `--quick`: for thirteen hours. Read from segments. */
export async function measureQueries(isQuick: boolean): Promise<Measurement[]> {
  const stock = { hosts: 100, hours: isQuick ? 13 : 72 };
  const steps = stock.hours * (hourMs / stepMs);
  const shape = { hosts: stock.hosts, steps, fieldsPerLine: 10, values: 'integer walk' } as const;
  return measureQuestions((server) => fillWith(server, loadBodies(shape)), statements(stock));
}

/** M: 4,000 hosts for seven hours; `--quick`: 200 hosts. Read from segments. */
export async function measureFleetQueries(isQuick: boolean): Promise<Measurement[]> {
  const stock = { hosts: isQuick ? 200 : 4000, hours: 7 };
  const bodies = fleetBodies(stock.hosts, stock.hours * (hourMs / stepMs));
  return measureQuestions((server) => fillWith(server, bodies), fleetStatements(stock));
}

export async function fillWith(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies);
  connection.close();
}
