/** A database to compare: its start, its ingest formats and its queries. */
import type { Random } from '../../test/support/random.js';

import { getRequest, jsonRequest, writeRequestOf, type forms } from '../connection.js';
import type { Asked } from '../query/ask.js';
import type { Make, Question } from '../query/question.js';
import type { Words } from '../query/words.js';

import type { Row } from './answers.js';

export type Form = keyof typeof forms;

export interface Running extends Asked {
  /** Stops cleanly, so that its data is there after the next start. */
  readonly stop: () => Promise<void>;
}

/**
 * The path of an ingest format. If the database does not take the format as it is, `body` converts
 * it in advance.
 */
export interface Taken {
  readonly path: string;
  /** Converts a body of lines. */
  readonly body?: (lines: Buffer) => Uint8Array;
}

/** Without `make` the question exists only in other languages than SeriesQL. */
export type PeerQuestion = Pick<Question, 'name' | 'inWords'> & Partial<Pick<Question, 'make'>>;

export interface Peer {
  readonly name: string;
  /** How to install it. */
  readonly origin: string;
  /** The reported version; null if it is not installed. */
  readonly version: () => Promise<string | null>;
  readonly start: (folder: string) => Promise<Running>;
  /** Supported formats. A missing one is unsupported. */
  readonly takes: Readonly<Partial<Record<Form, Taken>>>;
  /** The ingest format for filling the database before queries; line protocol if absent. */
  readonly filledWith?: Taken;
  /** A part of the name of unsupported writes. */
  readonly takesNot?: string;
  /** Optimizes the data after filling. */
  readonly settle?: (port: number) => Promise<void>;
  /** The request for a question; undefined if the language cannot express it. */
  readonly asks: (question: PeerQuestion) => Make | undefined;
  readonly rows: (body: string) => readonly Row[];
  /** True if its buckets begin where ours do, so that rows and values are equal. */
  readonly isExact: boolean;
}

/** Queries in the peer's own language. */
function asksIn(words: Words, requestOf: (text: string) => Buffer): Peer['asks'] {
  return ({ inWords }) => {
    const make = inWords?.(words);
    return make && ((random: Random) => requestOf(make(random)));
  };
}

export const asksByPath = (words: Words): Peer['asks'] => asksIn(words, (at) => getRequest(at));
export const asksAt = (path: string, words: Words): Peer['asks'] =>
  asksIn(words, (text) => jsonRequest(path, text));

/** A request with a body, in a form that the peer takes. */
export function requestOf(form: Form, { path, body }: Taken, bytes: Uint8Array): Buffer {
  return writeRequestOf(form, body === undefined ? bytes : body(Buffer.from(bytes)), path);
}
