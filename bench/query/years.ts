/** Measures long ranges in few buckets, over fully compacted segments. */
import type { Server } from '../../test/support/server.js';

import { order } from '../admin.js';
import { loadBodies, stepMs } from '../generator.js';
import type { Measurement } from '../report.js';

import { measureQuestions } from './measure.js';
import { fillWith } from './query.js';
import { monthStatements, yearStatements } from './statements.js';

const stepsADay = 86_400_000 / stepMs;

/**
 * Ten series for a year, and a thousand for a month. `--quick`: 60 days, and a fifth of the series
 * for a month.
 */
export async function measureYears(isQuick: boolean): Promise<Measurement[]> {
  const { days, hosts } = spansOf(isQuick);
  const fill = (bodies: Iterable<Buffer>) => (server: Server) => fillCompacted(server, bodies);
  return [
    ...(await measureQuestions(fill(daysOf(1, days)), yearStatements(days))),
    ...(await measureQuestions(fill(daysOf(hosts, 30)), monthStatements(hosts))),
  ];
}

export function spansOf(isQuick: boolean): { readonly days: number; readonly hosts: number } {
  return isQuick ? { days: 60, hosts: 20 } : { days: 365, hosts: 100 };
}

/** `days` and one more, so that a window of `days` may be another each time. */
export function daysOf(hosts: number, days: number): Iterable<Buffer> {
  const steps = (days + 1) * stepsADay;
  return loadBodies({ hosts, steps, fieldsPerLine: 10, values: 'integer walk' });
}

export async function fillCompacted(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  await fillWith(server, bodies);
  await order(server, 'flush');
  await order(server, 'compact');
}
