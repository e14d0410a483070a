/**
 * Splits a JSON text that arrives in pieces, without blocking the event loop on a long list. The
 * addon writes the text, so it is well-formed.
 */

import { startTextWork } from '../../limits/text-work.js';

import type { ByteStream } from '../../../storage/storage.js';

/**
 * The longest work, in milliseconds and including the consumer's, between two turns of the event
 * loop.
 */
const kTurnMs = 1;
/** The number of strings in a batch. */
const kStringsPerTurn = 256;

/** The objects of an array, as texts. Yields after kTurnMs of work, including the consumer's. */
export async function* objectTexts(stream: ByteStream): AsyncGenerator<string> {
  let turnStart = performance.now();
  for await (const { text, take } of growingText(stream)) {
    let from = text.indexOf('{');
    for (let end = objectEnd(text, from); end > 0; end = objectEnd(text, from)) {
      yield text.slice(from, end);
      from = text.indexOf('{', end);
      // The consumer makes a row from each object.
      startTextWork();
      if (performance.now() - turnStart < kTurnMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnStart = performance.now();
    }
    take(from < 0 ? text.length : from);
  }
}

/** The strings of the array in `{"values":[…]}`, in batches. */
export async function* stringTexts(stream: ByteStream): AsyncGenerator<readonly string[]> {
  let at = '{"values":['.length;
  for await (const { text, take } of growingText(stream)) {
    const found = /"(?:[^"\\]|\\.)*"/gs;
    found.lastIndex = at;
    let texts: string[] = [];
    let end = at;
    for (let one = found.exec(text); one !== null; one = found.exec(text)) {
      texts.push(JSON.parse(one[0]) as string);
      end = found.lastIndex;
      if (texts.length < kStringsPerTurn) continue;
      yield texts;
      texts = [];
    }
    if (texts.length > 0) yield texts;
    take(end);
    at = 0;
  }
}

interface GrowingText {
  readonly text: string;
  /** Drops the first `count` characters. */
  readonly take: (count: number) => void;
}

/** After each piece, the text so far without its dropped part. */
async function* growingText(stream: ByteStream): AsyncGenerator<GrowingText> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const piece = await stream.next();
    text += piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
    let taken = 0;
    yield {
      text,
      take: (count) => {
        taken = count;
      },
    };
    text = text.slice(taken);
    if (piece === null) return;
  }
}

const interesting = /["{}\\]/g;

/** The offset after the object that begins at `from`; -1 if it is incomplete. */
function objectEnd(text: string, from: number): number {
  if (from < 0) return -1;
  let depth = 0;
  let isText = false;
  interesting.lastIndex = from;
  for (let found = interesting.exec(text); found !== null; found = interesting.exec(text)) {
    const [character] = found;
    if (character === '\\') interesting.lastIndex += 1;
    else if (character === '"') isText = !isText;
    else if (!isText) depth += character === '{' ? 1 : -1;
    if (depth === 0) return interesting.lastIndex;
  }
  return -1;
}
