/**
 * Random expressions over the real storage: equal to the plain model, and equal by every way of
 * evaluation.
 */
import { expect } from 'chai';

import { EscapedNames } from '../../src/operations/names/escaped-names.js';
import {
  answerAtOnce,
  answerPromql,
  readQuestion,
  stepSource,
} from '../../src/operations/promql.js';
import { textOf } from '../../src/operations/byte-streams.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { runPromql, type PromqlResult } from '../../src/query/promql/run-promql.js';
import { Guard } from '../../src/query/limits/guard.js';
import { inMs } from '../support/in-ms.js';
import { Random, testSeed } from '../support/random.js';
import { NaiveSource } from './naive-source.js';
import { PeerCases } from './peer-cases.js';
import { kDataEndMs, randomSeries } from './random-data.js';
import { RandomExpressions, randomTimes } from './random-expressions.js';
import { sentSeries } from './real-prometheus.js';
import { isAlmost } from './scripts/judge.js';
import { World } from './scripts/world.js';

import type { OpenedSteps } from '../../src/storage/storage.js';
import type { StepSource } from '../../src/query/promql/vectors/context.js';
import type { StepFrame } from '../../src/query/promql/vectors/value.js';

const kCases = 400;
const settings = inMs({ lookbackMs: 300_000, subqueryStepMs: 60_000, maxCells: 1 << 24 });
const limits = {
  maxRows: 1e6,
  maxSeries: 1e6,
  maxSamples: 1e9,
  maxTextBytes: 2 ** 28,
  timeoutMs: 60_000,
};

/** Removes positions in the query text from annotations. */
const withoutPlaces = (answer: string): string => answer.replace(/ \(\d+:\d+\)/g, '');

describe(`random PromQL, seed ${testSeed}`, function () {
  this.timeout(120_000);
  const series = randomSeries(testSeed);
  const plain = new NaiveSource();
  let world: World;

  before(async () => {
    world = await World.open();
    for (const one of series) plain.add(one);
    await world.write(sentSeries(series));
  });
  after(() => world.close());

  const run = async (text: string, frame: StepFrame, source: StepSource): Promise<string> => {
    const guard = new Guard(limits);
    try {
      const expression = parsePromql(text);
      const end = frame.start + (frame.count - 1) * frame.step;
      const asked = { text, expression, frame, settings, source, guard, ...inMs({ end }) };
      return shownOf(await runPromql({ ...asked, isInstant: true }));
    } catch (error) {
      // If several series cause an error, the named one is arbitrary.
      return String(error).slice(0, 50);
    }
  };
  const real = (): StepSource => stepSource(world.storage, new Guard(limits));
  const unfolded = (): StepSource => ({ ...real(), folds: false });

  const cases = (count: number): { readonly text: string; readonly frame: StepFrame }[] => {
    const random = new Random(testSeed);
    const expressions = new RandomExpressions(random);
    return Array.from({ length: count }, () => {
      const text = expressions.any(random.below(4));
      const { startMs, endMs, stepMs } = randomTimes(random);
      const step = stepMs ?? 1;
      const frame = inMs({ start: startMs, step, count: (endMs - startMs) / step + 1 });
      return { text, frame };
    });
  };

  it('answers like the reference model', async () => {
    for (const { text, frame } of cases(kCases)) {
      const [own, model] = [await run(text, frame, real()), await run(text, frame, plain)];
      requireAlike(own, model, `${text} ${JSON.stringify(frame)}`);
    }
  });

  it('answers the same to the last digit with either summing code', async () => {
    for (const { text, frame } of cases(kCases)) {
      const shown = `${text} ${JSON.stringify(frame)}`;
      expect(await run(text, frame, real()), shown).to.equal(await run(text, frame, unfolded()));
    }
  });

  it('answers the same to the last digit with either comparing code', async () => {
    const random = new Random(testSeed);
    const expressions = new RandomExpressions(random);
    let shown = 0;
    for (let at = 0; at < 2 * kCases; at += 1) {
      const text = expressions.compared();
      const { startMs, endMs, stepMs } = randomTimes(random);
      const step = stepMs ?? 1;
      const frame = inMs({ start: startMs, step, count: (endMs - startMs) / step + 1 });
      const answer = await run(text, frame, real());
      expect(answer, text).to.equal(await run(text, frame, unfolded()));
      if (answer.includes('{')) shown += 1;
    }
    expect(shown).to.be.greaterThan(kCases / 4);
  });

  it('unites several operands at once like two at a time', async () => {
    const random = new Random(testSeed);
    const expressions = new RandomExpressions(random);
    let shown = 0;
    for (let at = 0; at < kCases; at += 1) {
      const count = 3 + random.below(3);
      const operands = Array.from({ length: count }, () =>
        random.chance(0.4) ? expressions.leaf() : expressions.compared(),
      );
      const by = random.pick(['', 'on (instance)', 'ignoring (instance)', 'on ()']);
      const inParens = operands.reduce((united, operand) => `(${united}) or ${by} ${operand}`);
      const { startMs, endMs, stepMs } = randomTimes(random);
      const step = stepMs ?? 1;
      const frame = inMs({ start: startMs, step, count: (endMs - startMs) / step + 1 });
      const text = operands.join(` or ${by} `);
      const answer = withoutPlaces(await run(text, frame, real()));
      expect(answer, text).to.equal(withoutPlaces(await run(inParens, frame, real())));
      if (answer.includes('{')) shown += 1;
    }
    expect(shown).to.be.greaterThan(kCases / 4);
  });

  it('reads the leaves of a large expression in turns, within the limits of all', async () => {
    const random = new Random(testSeed);
    const expressions = new RandomExpressions(random);
    const leaves = Array.from({ length: 70 }, () => expressions.leaf());
    const text = leaves.map((leaf, at) => `label_replace(${leaf}, "at", "${at}", "", "")`);
    const { startMs, endMs, stepMs } = randomTimes(random);
    const step = stepMs ?? 1;
    const frame = inMs({ start: startMs, step, count: (endMs - startMs) / step + 1 });
    const [own, model] = [
      await run(text.join(' or '), frame, real()),
      await run(text.join(' or '), frame, plain),
    ];
    requireAlike(own, model, text.join(' or '));
    const { name = '' } = series.map(({ labels }) => ({ name: labels['__name__'] }))[0] ?? {};
    const all = `count_over_time(${name}[100y])`;
    // The random times may all be before the first sample.
    const late = inMs({ start: kDataEndMs, step, count: 1 });
    const asked = async (expression: string, maxSamples: number): Promise<string> =>
      run(expression, late, stepSource(world.storage, new Guard({ ...limits, maxSamples })));
    const one = new Guard(limits);
    expect(await run(all, late, stepSource(world.storage, one))).to.include('{');
    expect(one.samples).to.be.greaterThan(0);
    const several = Array.from({ length: 40 }, () => all).join(' + ');
    expect(await asked(several, 40 * one.samples)).to.include('{');
    expect(await asked(several, 40 * one.samples - 1)).to.match(
      /the query (?:takes|reads) more than/,
    );
  });

  it('answers the same bytes at once and piece by piece', async () => {
    const random = new Random(testSeed);
    const expressions = new RandomExpressions(random);
    const names = new EscapedNames(world.storage);
    const answering = { store: world.storage, settings, names };
    const byPieces = async (
      asked: ReturnType<typeof readQuestion>,
      opened: OpenedSteps | null,
    ): Promise<string> => {
      const guard = new Guard(limits);
      try {
        return await textOf(await answerPromql({ ...answering, guard }, asked, opened));
      } catch (error) {
        return String(error).slice(0, 50);
      }
    };
    let [shown, ordered] = [0, 0];
    for (let at = 0; at < 2 * kCases; at += 1) {
      const text = random.chance(0.7) ? expressions.leaf() : expressions.compared();
      const { startMs: start, endMs: end, stepMs: step } = randomTimes(random);
      const most = { lookbackMs: null, timeoutMs: null, limit: 0, wantsStats: false, infos: [] };
      const asked = readQuestion({ text, ...inMs({ start, end, step }), ...most });
      const atOnce = answerAtOnce({ ...answering, limits }, asked);
      const isWhole = atOnce instanceof Uint8Array;
      const whole = isWhole ? Buffer.from(atOnce).toString() : await byPieces(asked, atOnce);
      expect(whole, text).to.equal(await byPieces(asked, null));
      if (!isWhole) continue;
      const rows = whole.split('{"metric"').length - 1;
      if (rows > 0) shown += 1;
      if (rows > 1 && step !== null) ordered += 1;
    }
    expect(shown).to.be.greaterThan(kCases / 4);
    expect(ordered).to.be.greaterThan(kCases / 16);
  });

  it('answers the same bytes after a flush and a compaction', async () => {
    const asked = new PeerCases(testSeed);
    const questions = Array.from({ length: kCases / 2 }, () => asked.next());
    const answers: string[] = [];
    for (const question of questions) answers.push(JSON.stringify(await world.ask(...question)));
    await world.storage.flush();
    await world.write(sentSeries(series).slice(0, 3));
    await world.storage.flush();
    for (const [place, question] of questions.entries()) {
      expect(JSON.stringify(await world.ask(...question))).to.equal(answers[place]);
    }
  });
});

/** Rows by labels, with all digits of the values. */
function shownOf({ value, warnings, infos }: PromqlResult): string {
  const notes = [...warnings, ...infos].sort();
  if (value.kind === 'string') return JSON.stringify({ notes, text: value.text });
  const labels = value.kind === 'scalar' ? null : value.labels;
  const rowCount = labels?.rowCount ?? 1;
  const steps = rowCount === 0 ? 0 : value.values.length / rowCount;
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const cells = [...value.values.subarray(row * steps, (row + 1) * steps)].map((cell, step) =>
      value.kind === 'vector' && value.present?.[row * steps + step] === 0 ? '_' : String(cell),
    );
    return `${labels?.describe(row) ?? ''} ${cells.join(' ')}`;
  });
  return JSON.stringify({ notes, rows: rows.sort() });
}

/** Sums depend on the order of series; the model uses the order of writing. */
function requireAlike(own: string, model: string, what: string): void {
  const [one, other] = [own.split(/[\s",[\]]+/), model.split(/[\s",[\]]+/)];
  expect(one.length, `${what}: ${own} for ${model}`).to.equal(other.length);
  other.forEach((word, place) => {
    const [a, b] = [Number(one[place]), Number(word)];
    const isSame = one[place] === word || (Number.isFinite(a) && isAlmost(a, b));
    expect(isSame, `${what}: ${String(one[place])} for ${word} in ${own} for ${model}`).to.equal(
      true,
    );
  });
}
