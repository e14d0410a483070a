/** A kind of request. Each generated request reads other data. */
import type { Random } from '../../test/support/random.js';

import { jsonRequest } from '../connection.js';
import type { QuestionReach } from '../reach.js';

import { draw, type Draw, type Extent, type Stock } from './draw.js';
import type { Words } from './words.js';

export type Make = (random: Random) => Buffer;

export interface Question {
  readonly name: string;
  readonly make: Make;
  /** Checks the body of an answer. */
  readonly isRight: (body: string) => boolean;
  /**
   * The same question, drawn alike, in another language; undefined if the language cannot express
   * it.
   */
  readonly inWords?: (words: Words) => ((random: Random) => string) | undefined;
  readonly reach?: QuestionReach;
}

interface Wording {
  readonly name: string;
  readonly extent: Extent;
  readonly text: (asked: Draw) => string;
  readonly inWords?: (words: Words, asked: Draw) => string;
  readonly reach?: QuestionReach;
}

/** A question in SeriesQL. The server must compile every statement. */
export function statement(stock: Stock, wording: Wording): Question {
  const { name, extent, text, inWords, reach } = wording;
  const drawn = (random: Random): Draw => draw(random, stock, extent);
  return {
    name: `query, ${name}`,
    make: (random) => jsonRequest('/api/v1/seriesql', text(drawn(random))),
    isRight: (body) => body.includes('"legacy_fallback":false'),
    ...(inWords && { inWords: (words) => (random) => inWords(words, drawn(random)) }),
    ...(reach && { reach }),
  };
}
