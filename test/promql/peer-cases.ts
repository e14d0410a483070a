/** Random queries that two servers with the same samples must answer alike. */
import { Random } from '../support/random.js';
import { comparesVectors, randomTimes, RandomExpressions } from './random-expressions.js';
import { sameAnswers } from './same-answers.js';

import type { PromAnswer } from './scripts/world.js';

export type Asked = readonly [path: string, parameters: Readonly<Record<string, string>>];
export type Ask = (...asked: Asked) => Promise<PromAnswer>;

export class PeerCases {
  readonly #random: Random;
  readonly #expressions: RandomExpressions;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#expressions = new RandomExpressions(this.#random);
  }

  next(): Asked {
    const query = this.#expressions.any(this.#random.below(4));
    const { startMs, endMs, stepMs } = randomTimes(this.#random);
    const start = String(startMs / 1000);
    if (stepMs === null) return ['/api/v1/query', { query, time: start }];
    const times = { start, end: String(endMs / 1000), step: String(stepMs / 1000) };
    return ['/api/v1/query_range', { query, ...times }];
  }
}

/** The difference between two answers to this query; null: none. */
export function difference(asked: Asked, ours: PromAnswer, theirs: PromAnswer): string | null {
  const [path, parameters] = asked;
  const isNamed = !comparesVectors(parameters['query'] ?? '');
  const found = sameAnswers(ours, theirs, isNamed);
  return found === null ? null : `${path} ${JSON.stringify(parameters)}: ${found}`;
}

export interface Compared {
  readonly differences: readonly string[];
  /** The number of answers that were errors, or had no rows. */
  readonly errors: number;
  readonly empty: number;
}

/** Sends the queries to both servers. */
export async function compareAnswers(
  cases: PeerCases,
  count: number,
  [ours, theirs]: readonly [Ask, Ask],
): Promise<Compared> {
  const differences: string[] = [];
  let [errors, empty] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const asked = cases.next();
    const [own, other] = await Promise.all([ours(...asked), theirs(...asked)]);
    const found = difference(asked, own, other);
    if (found !== null) differences.push(found);
    if (other.body.status === 'error') errors += 1;
    else if (isEmpty(other)) empty += 1;
  }
  return { differences, errors, empty };
}

function isEmpty({ body }: PromAnswer): boolean {
  const result = body.data?.result;
  return Array.isArray(result) && result.length === 0;
}
