/**
 * The addon's parser, with its frame cache, against a plain one: the same lines must be refused,
 * with the same codes, and the same samples must be found in the database afterwards.
 */
import { assert } from 'chai';

import { kFirstTime, kLastTime, milliseconds } from '../../src/common/model/timestamp-unit.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { openNativeStorage } from '../../src/storage/native-storage.js';
import { addonPath, optionsFor } from '../native/addon.js';
import { makeLine, mutate, renumber, shuffle } from '../support/line-maker.js';
import {
  identityOf,
  parsePlainly,
  type Descriptors,
  type PlainError,
  type PlainResult,
  type PlainSample,
} from '../support/plain-parser.js';
import { Random, testSeed } from '../support/random.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

import type {
  StoredIngestOptions,
  StoredIngestReport,
  Storage,
} from '../../src/storage/storage.js';

const batchCount = 60;
const linesInBatch = 60;
const repeatCount = 5;
/** Factor and divisor of an arriving ts; the database's unit is ms. */
const conversions = {
  s: [1000n, 1n],
  ms: [1n, 1n],
  us: [1n, 1000n],
  ns: [1n, 1_000_000n],
  m: [60_000n, 1n],
  h: [3_600_000n, 1n],
} as const;

type Outcome = { readonly report: StoredIngestReport } | { readonly error: AppError };
type Series = Omit<PlainSample, 'ts' | 'value'>;

async function openStorage(directory: string, maxLineBytes: number): Promise<Storage> {
  const options = optionsFor(directory, {
    memtableMaxBytes: 4 * 1024 * 1024,
    flushIntervalMs: milliseconds(600_000),
    maxLineBytes,
    maxBodyBytes: 64 * 1024 * 1024,
  });
  return openNativeStorage(options, addonPath);
}

/** The database and what the plain parser says that it must hold. */
class Pair {
  private readonly storage: Storage;
  private readonly random: Random;
  private readonly maxLineBytes: number;
  private readonly descriptors: Descriptors = new Map();
  private readonly held = new Map<string, Map<bigint, number>>();
  goodLines = 0;
  badLines = 0;

  constructor(storage: Storage, random: Random, maxLineBytes: number) {
    this.storage = storage;
    this.random = random;
    this.maxLineBytes = maxLineBytes;
  }

  async compare(lines: readonly Buffer[], options: StoredIngestOptions): Promise<void> {
    const newline = Buffer.from('\n');
    const body = Buffer.concat(lines.flatMap((line) => [line, newline]));
    const whole = this.random.chance(0.5) ? body : body.subarray(0, -1);
    const [multiply, divide] = conversions[options.precision];
    const plainOptions = { ...options, maxLineBytes: this.maxLineBytes, multiply, divide };
    const expected = parsePlainly(whole, this.descriptors, plainOptions);
    const outcome = await this.send(whole, options);
    compareOutcome(outcome, expected, options, lines);
    this.badLines += expected.errors.length;
    this.goodLines += options.isLenient ? lines.length - expected.errors.length : 0;
    await this.compareSamples(expected.samples, lines);
  }

  private async send(body: Buffer, options: StoredIngestOptions): Promise<Outcome> {
    const request = this.storage.beginIngest(options);
    const isCut = this.random.chance(0.5);
    try {
      for (let at = 0; at < body.length;) {
        const size = isCut ? 1 + this.random.below(3_000) : body.length;
        // A copy, so that the addon sees memory that ends with the chunk.
        request.write(new Uint8Array(body.subarray(at, at + size)));
        at += size;
      }
      return { report: await request.commit() };
    } catch (error) {
      request.abort();
      if (error instanceof AppError) return { error };
      throw error;
    }
  }

  /** Reads back every series that the request named. */
  private async compareSamples(samples: readonly PlainSample[], lines: readonly Buffer[]) {
    const touched = new Map<string, Series>();
    for (const sample of samples) {
      const identity = identityOf(sample);
      touched.set(identity, sample);
      const series = this.held.get(identity) ?? new Map<bigint, number>();
      this.held.set(identity, sample.ts === null ? series : series.set(sample.ts, sample.value));
    }
    for (const [identity, series] of touched) {
      const expected = [...(this.held.get(identity) ?? [])]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([ts, value]) => `${String(ts)}=${valueText(value)}`);
      const received = await this.read(series);
      if (received.join() === expected.join()) continue;
      const at = expected.findIndex((text, index) => text !== received[index]);
      assert.fail(
        `${identity}: ${expected[at] ?? 'nothing more'} expected, ` +
          `${received[at < 0 ? expected.length : at] ?? 'nothing'} received, among\n${show(lines)}`,
      );
    }
  }

  private async read(series: Series): Promise<string[]> {
    const labels = [...series.labels];
    shuffle(labels, this.random);
    const stream = this.storage.openRange({ name: series.name, labels }, kFirstTime, kLastTime);
    const pieces: Uint8Array[] = [];
    for (;;) {
      const piece = await stream.next();
      if (piece === null) break;
      pieces.push(piece);
    }
    const text = Buffer.concat(pieces).toString('utf8');
    assert.match(text, /^\[.*\]$/s);
    const samples = text.matchAll(/\{"ts":(-?\d+),"value":([^}]+)\}/g);
    // Only the addon knows the time of arrival, which no random line has.
    const known = [...samples].filter(([, ts]) => !isOfThisRun(Number(ts)));
    return known.map(([, ts, value]) => `${ts ?? ''}=${valueText(Number(value))}`);
  }
}

/** A time in seconds is cut. */
const begunMs = Date.now() - 1_000;

function isOfThisRun(ts: number): boolean {
  return ts >= begunMs && ts <= Date.now();
}

function valueText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function expectEqual(received: number, expected: number, what: string, lines: readonly Buffer[]) {
  if (received !== expected) assert.fail(`${what}: ${received}, not ${expected}\n${show(lines)}`);
}

function compareOutcome(
  outcome: Outcome,
  expected: PlainResult,
  options: StoredIngestOptions,
  lines: readonly Buffer[],
): void {
  const [first] = expected.errors;
  if ('error' in outcome) {
    const { code, message } = outcome.error;
    const said = `${code}: ${message}`;
    if (options.isLenient || first === undefined) return assert.fail(`${said}\n${show(lines)}`);
    assert.include(codesOf(first), code, `${said}\n${textOf(lines, first.line)}`);
    assert.match(message, new RegExp(`^line ${first.line}: `));
    return;
  }
  const { report } = outcome;
  const isRefused = !options.isLenient && first !== undefined;
  if (isRefused) assert.fail(`accepted, not ${first.code}: ${textOf(lines, first.line)}`);
  for (const [index, error] of report.errors.entries()) {
    const wanted = expected.errors[index];
    const said = `line ${error.line}, ${error.code}: ${error.error}`;
    if (wanted?.line !== error.line) {
      const other = wanted === undefined ? '' : textOf(lines, wanted.line);
      assert.fail(
        `${said}: ${textOf(lines, error.line)}; expected ${JSON.stringify(wanted)} ${other}`,
      );
    }
    assert.include(codesOf(wanted), error.code, `${said}\n${textOf(lines, error.line)}`);
  }
  const missing = expected.errors[report.errors.length];
  if (missing !== undefined && report.errors.length < 10) {
    assert.fail(`accepted, not ${missing.code}: ${textOf(lines, missing.line)}`);
  }
  expectEqual(report.rejected, expected.errors.length, 'rejected', lines);
  expectEqual(report.ingested, expected.samples.length, 'ingested', lines);
}

function codesOf({ code, mayAlsoBe }: PlainError): string[] {
  return mayAlsoBe === undefined ? [code] : [code, mayAlsoBe];
}

/** A line of the body; if a mutation inserted a newline, it may be a part of one of `lines`. */
function textOf(lines: readonly Buffer[], number: number): string {
  return JSON.stringify(
    lines
      .map((line) => line.toString('latin1'))
      .join('\n')
      .split('\n')[number - 1],
  );
}

function show(lines: readonly Buffer[]): string {
  return lines.map((line) => JSON.stringify(line.toString('latin1').slice(0, 300))).join('\n');
}

/** Lines that come again and again, some of them mutated, some joined from two. */
function makeBatch(random: Random, mutationRate: number): Buffer[] {
  const batch: Buffer[] = [];
  for (let count = 0; count < linesInBatch; count++) {
    let line = makeLine(random);
    const isLikeEarlier = batch.length > 0 && random.chance(0.3);
    if (isLikeEarlier) line = renumber(random.pick(batch), random);
    if (random.chance(mutationRate)) line = mutate(line, random);
    if (random.chance(mutationRate / 8)) {
      const other = makeLine(random);
      const cut = random.below(line.length);
      line = Buffer.concat([line.subarray(0, cut), other.subarray(random.below(other.length))]);
    }
    if (random.chance(0.02))
      line = Buffer.from(random.pick(['', ' ', '\r', '\t\r', '[]', '7', 'x']));
    batch.push(line);
  }
  return batch;
}

/** Lines that are good on their own, so that strict requests often get through. */
function goodOnly(batch: readonly Buffer[], descriptors: Descriptors, maxLineBytes: number) {
  const options = { isLenient: false, maxLineBytes, multiply: 1n, divide: 1n };
  return batch.filter((line) => {
    return parsePlainly(line, new Map(descriptors), options).errors.length === 0;
  });
}

describe('the parser agrees with a plain one on good, odd and mutated lines', () => {
  for (const maxLineBytes of [65_536, 150]) {
    it(`lines up to ${maxLineBytes} bytes, seed ${testSeed}`, async function () {
      this.timeout(180_000);
      const random = new Random(testSeed + maxLineBytes);
      const directory = temporaryDirectory();
      const storage = await openStorage(directory, maxLineBytes);
      const pair = new Pair(storage, random, maxLineBytes);
      try {
        for (let batch = 0; batch < batchCount; batch++) {
          await compareBatch(pair, random, maxLineBytes);
          if (batch % 20 === 19) await storage.flush();
        }
      } finally {
        await storage.close();
        removeDirectory(directory);
      }
      assert.isAbove(pair.goodLines, 1000);
      assert.isAbove(pair.badLines, 100);
    });
  }
});

async function compareBatch(pair: Pair, random: Random, maxLineBytes: number): Promise<void> {
  let lines = makeBatch(random, random.pick([0, 0.05, 0.3]));
  await pair.compare(lines, { precision: 'ms', isLenient: true });
  const good = goodOnly(lines, new Map(), maxLineBytes);
  // Now every series exists, so the frames are learned; the third time on they are known.
  for (let repeat = 0; repeat < repeatCount; repeat++) {
    const isLenient = random.chance(0.5);
    const precision = random.chance(0.8) ? 'ms' : random.pick(['s', 'us', 'ns'] as const);
    lines = (isLenient ? lines : good).map((line) => renumber(line, random));
    if (random.chance(0.3)) shuffle(lines, random);
    await pair.compare(lines, { precision, isLenient });
  }
}
