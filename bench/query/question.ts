/** A kind of request, of which each that is made asks something else. */
import type { Random } from '../../test/support/random.js';

import { getRequest, jsonRequest } from '../connection.js';
import type { QuestionReach } from '../reach.js';

import { draw, type Draw, type Extent, type Stock } from './draw.js';

export type Make = (random: Random) => Buffer;

export interface Question {
  readonly name: string;
  readonly make: Make;
  /** Of the body of an answer. */
  readonly isRight: (body: string) => boolean;
  /** The same, drawn alike, of a database that knows PromQL. */
  readonly promql?: Make;
  /** Of one that has an export, where that is the shorter way. */
  readonly exported?: Make;
  readonly reach?: QuestionReach;
}

interface Wording {
  readonly name: string;
  readonly extent: Extent;
  readonly text: (asked: Draw) => string;
  /** The path of a request. */
  readonly promql?: (asked: Draw) => string;
  readonly reach?: QuestionReach;
}

/** In SeriesQL, of which every statement has to be compiled. */
export function statement(stock: Stock, wording: Wording): Question {
  const { name, extent, text, promql, reach } = wording;
  return {
    name: `query, ${name}`,
    make: (random) => jsonRequest('/api/v1/seriesql', text(draw(random, stock, extent))),
    isRight: (body) => body.includes('"legacy_fallback":false'),
    ...(promql && { promql: (random) => getRequest(promql(draw(random, stock, extent))) }),
    ...(reach && { reach }),
  };
}
