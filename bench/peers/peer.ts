/** A database that is compared: how it is started, what it takes, and how it is asked. */
import type { Random } from '../../test/support/random.js';

import { getRequest, jsonRequest, writeRequestOf, type forms } from '../connection.js';
import type { Asked } from '../query/ask.js';
import type { Make, Question } from '../query/question.js';
import type { Words } from '../query/words.js';

import type { Row } from './answers.js';

export type Form = keyof typeof forms;

export interface Running extends Asked {
  /** Politely, so that what it has is there when it starts again. */
  readonly stop: () => Promise<void>;
}

/** Where a form is taken, and in which other one, made ahead, where it is not taken as it is. */
export interface Taken {
  readonly path: string;
  /** Of a body of lines. */
  readonly body?: (lines: Buffer) => Uint8Array;
}

/** Without `make`: what ours is asked in others' words alone. */
export type PeerQuestion = Pick<Question, 'name' | 'inWords'> & Partial<Pick<Question, 'make'>>;

export interface Peer {
  readonly name: string;
  /** What brings it, for those who lack it. */
  readonly origin: string;
  /** What it says of its version; null where it is not installed. */
  readonly version: () => Promise<string | null>;
  readonly start: (folder: string) => Promise<Running>;
  /** A form that is missing it does not take. */
  readonly takes: Readonly<Partial<Record<Form, Taken>>>;
  /** What of `Form` it is filled with before it is asked; line protocol unless said. */
  readonly filledWith?: Taken;
  /** A part of the name of a write that it has no way for. */
  readonly takesNot?: string;
  /** Brings into shape what it was filled with. */
  readonly settle?: (port: number) => Promise<void>;
  /** What asks it a question; undefined where it has no word for it. */
  readonly asks: (question: PeerQuestion) => Make | undefined;
  readonly rows: (body: string) => readonly Row[];
  /** Its buckets begin where ours do, so that rows and values are the same. */
  readonly isExact: boolean;
}

/** Asks in words of its own. */
export function asksIn(words: Words, requestOf: (text: string) => Buffer): Peer['asks'] {
  return ({ inWords }) => {
    const make = inWords?.(words);
    return make && ((random: Random) => requestOf(make(random)));
  };
}

export const asksByPath = (words: Words): Peer['asks'] => asksIn(words, (at) => getRequest(at));
export const asksAt = (path: string, words: Words): Peer['asks'] =>
  asksIn(words, (text) => jsonRequest(path, text));

/** A request with a body of a form, as a peer takes it. */
export function requestOf(form: Form, { path, body }: Taken, bytes: Uint8Array): Buffer {
  return writeRequestOf(form, body === undefined ? bytes : body(Buffer.from(bytes)), path);
}
