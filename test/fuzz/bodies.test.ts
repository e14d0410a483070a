/**
 * Mutated request bodies: gzip in parts decodes like gzip at once, and JSON parses as with
 * JSON.parse.
 */

import { expect } from 'chai';
import { isLosslessNumber } from 'lossless-json';
import { gunzipSync, gzipSync } from 'node:zlib';

import { AppError } from '../../src/common/errors/app-error.js';
import { bodyMaker } from '../../src/http/intake/body-encoding.js';
import { parseJsonObject } from '../../src/http/fields/json-body.js';
import { Turns } from '../../src/http/intake/turns.js';
import { Random, testSeed } from '../support/random.js';
import { cut, mutateBytes, mutateText } from './mutate.js';
import { fuzzTimeoutMs, rounds } from './rounds.js';

const line = '{"metric":"cpu","labels":{"host":"a"},"ts":1700000000000,"value":1.5}\n';

const turns = new Turns();

/** The decoded body, fed in parts, or the code of the failure. */
function decoded(parts: Iterable<Buffer>): Promise<Buffer | string> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const decoder = bodyMaker('gzip')({
      owner: {
        turns,
        setFlow: () => undefined,
        noteProgress: () => undefined,
        finish: () => {
          resolve(Buffer.concat(out));
        },
        fail: (error) => {
          resolve(error instanceof AppError ? error.code : String(error));
        },
      },
      target: {
        write: (chunk) => {
          out.push(Buffer.from(chunk));
          return false;
        },
      },
      limit: Infinity,
    });
    for (const part of parts) decoder.onChunk(part);
    decoder.onEnd();
  });
}

/** zlib reports how many bytes it read; remaining bytes make the body invalid. */
function decodedAtOnce(body: Buffer): Buffer | string {
  try {
    const whole = gunzipSync(body, { info: true }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return whole.engine.bytesWritten === body.length ? whole.buffer : 'invalid_encoding';
  } catch {
    return 'invalid_encoding';
  }
}

const objects: readonly string[] = [
  '{"metric":"cpu","labels":{"host":"a","ok":true,"n":1.50},"start":-9223372036854775808}',
  '{"selectors":[{"id":1},{"metric":"m"}],"limit":10,"deep":[[[{"a":null}]]],"text":"\\u00e9\\n"}',
  '{"a":1,"a":1,"__proto__":{"b":2},"constructor":"c","":{}}',
  '{"kind":"deploy","title":"x","start":1e3,"end":0.10,"labels":{}}',
];
const words = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '1e999',
  '-0',
  '01',
  '\\ud800',
  'null',
  '"__proto__"',
];

/** Numbers of both as doubles, so that the two can be compared. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) =>
    isLosslessNumber(one) ? Number(one.value) : one,
  );
  return JSON.parse(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe(`mutated bodies (seed ${testSeed})`, function () {
  this.timeout(fuzzTimeoutMs);

  it('of gzip are refused, or decoded as at once', async () => {
    const random = new Random(testSeed);
    const whole = gzipSync(line.repeat(50));
    const seeds = [
      whole,
      gzipSync(''),
      Buffer.concat([whole, gzipSync(line)]),
      gzipSync(line, { level: 0 }),
    ];
    let taken = 0;
    for (const round of rounds(1500)) {
      const seed = random.pick(seeds);
      const body = round < seeds.length ? (seeds[round] ?? seed) : mutateBytes(seed, random);
      const expected = decodedAtOnce(body);
      const found = await decoded(cut(body, 1 + random.below(200), random));
      expect(found, body.toString('hex')).to.deep.equal(expected);
      if (typeof found !== 'string') taken += 1;
    }
    expect(taken).to.be.greaterThan(seeds.length);
  });

  it('of JSON are refused, or mean what they mean to JSON.parse', () => {
    const random = new Random(testSeed + 1);
    let taken = 0;
    for (const round of rounds(8000)) {
      const text = objects[round] ?? mutateText(objects, words, random);
      const bytes = Buffer.from(text);
      const expected = parsed(bytes.toString());
      try {
        expect(plain(parseJsonObject(bytes)), text).to.deep.equal(plain(expected));
        taken += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        expect(error.code, text).to.equal('invalid_json');
        const isObject =
          typeof expected === 'object' && expected !== null && !Array.isArray(expected);
        // A valid object is refused only if a key repeats.
        if (isObject) expect(error.message, text).to.match(/occurs twice/);
      }
    }
    expect(taken).to.be.greaterThan(objects.length);
  });
});
