/** The same questions in PromQL, over Prometheus' HTTP API, and the rate of many counters. */
import type { Random } from '../../test/support/random.js';

import { getRequest } from '../connection.js';
import {
  counterBodies,
  counterName,
  fleetBodies,
  hourMs,
  loadBodies,
  stepMs,
  type Counters,
} from '../generator.js';
import { promqlOfFields, ratePath } from '../peers/promql.js';
import type { Measurement } from '../report.js';
import { reach } from '../reach.js';

import { draw, type Draw, type Stock } from './draw.js';
import { measureQuestions } from './measure.js';
import { fillWith } from './query.js';
import { fleetStatements, statements } from './statements.js';

import type { Question } from './question.js';

/**
 * 100 hosts; then 4,000 hosts for seven hours; then two loads of as many counters as these hosts.
 * The first has eight counters per host of fewer hosts, as for their cores. The second has one
 * counter per host. `--quick`: 200 hosts.
 */
export async function measurePromql(isQuick: boolean): Promise<Measurement[]> {
  const few = { hosts: 100, hours: 13 };
  const steps = few.hours * (hourMs / stepMs);
  const shape = { hosts: few.hosts, steps, fieldsPerLine: 10, values: 'integer walk' } as const;
  const many = { hosts: isQuick ? 200 : 4000, hours: 7 };
  const manySteps = many.hours * (hourMs / stepMs);
  const bodies = fleetBodies(many.hosts, manySteps);
  const alone: Counters = { hosts: many.hosts, perHost: 1 };
  const several: Counters = { hosts: many.hosts / 8, perHost: 8 };
  return [
    ...(await measureQuestions(
      (server) => fillWith(server, loadBodies(shape)),
      [nothing, ...ofFew(few)],
    )),
    ...(await measureQuestions((server) => fillWith(server, bodies), ofFleet(many))),
    ...(await measureCounters(several, many.hours)),
    ...(await measureCounters(alone, many.hours)),
  ];
}

/** The cost of any request, mostly waking server and client. */
const nothing: Question = {
  name: 'promql, nothing, but whether the server is well',
  isRight: (body) => body.includes('ok'),
  make: () => getRequest('/healthz'),
};

function measureCounters(counters: Counters, hours: number): Promise<Measurement[]> {
  const bodies = counterBodies(counters, hours * (hourMs / stepMs));
  return measureQuestions((server) => fillWith(server, bodies), [rateByHost(counters, hours)]);
}

const reaches: Readonly<Record<string, Question['reach']>> = {
  'promql, one host, one metric, 1 h by minute': reach.promqlOneHost,
  'promql, 8 hosts, one metric, 1 h by minute': reach.promqlEightHosts,
  'promql, 8 hosts, 10 metrics, 8 h by hour': reach.promqlTenMetrics,
  'promql fleet, all hosts, 6 h by hour and host': reach.promqlFleet,
};

function inPromql(questions: readonly Question[], word: string, wording: string): Question[] {
  return questions.flatMap(({ name, inWords }) => {
    const path = inWords?.(promqlOfFields);
    if (path === undefined) return [];
    const told = name.replace(word, wording);
    const wanted = reaches[told];
    return {
      ...{ name: told, isRight, make: (random) => getRequest(path(random)) },
      ...(wanted && { reach: wanted }),
    };
  });
}

/** The answer must have rows, so that no empty answer is measured. */
const isRight = (body: string): boolean =>
  body.startsWith('{"status":"success"') && body.includes('{"metric"');

function ofFew(stock: Stock): readonly Question[] {
  return inPromql(statements(stock), 'query', 'promql');
}

function ofFleet(stock: Stock): readonly Question[] {
  return inPromql(fleetStatements(stock), 'fleet', 'promql fleet');
}

/** With one counter per host, nothing is summed, and most of the time goes into printing. */
export function rateByHost({ hosts, perHost }: Counters, hours: number): Question {
  const [counted, owners] = [hosts * perHost, hosts].map((count) => count.toLocaleString('en'));
  const drawn = (random: Random): Draw => draw(random, { hosts, hours }, { lengthMs: 6 * hourMs });
  return {
    name: `promql, rate of ${counted ?? ''} counters of ${owners ?? ''} hosts, 6 h by minute`,
    isRight,
    reach: reach.promqlRate,
    make: (random) => getRequest(ratePath(drawn(random), counterName)),
    inWords: ({ ratesByHost }) => ratesByHost && ((random) => ratesByHost(drawn(random))),
  };
}
