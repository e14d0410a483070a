/** Expressions over many rows pause often, and pauses change no answer. */
import { expect } from 'chai';

import { LabelColumn } from '../../src/query/promql/labels/column.js';
import { concatLabels, LabelTable } from '../../src/query/promql/labels/label-table.js';
import { jointIds } from '../../src/query/promql/labels/row-ids.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { runPromql } from '../../src/query/promql/run-promql.js';
import { startTextWork } from '../../src/query/limits/text-work.js';
import { Guard, type QueryLimits } from '../../src/query/limits/guard.js';
import { TextPacker } from '../../src/query/values/text-packer.js';
import { inMs } from '../support/in-ms.js';
import { cpuTimer } from '../support/cpu-time.js';
import { roomyLimits } from '../support/memory-target.js';
import { Random, testSeed } from '../support/random.js';

import type { StepSource } from '../../src/query/promql/vectors/context.js';
import type { PackedTexts, StepTable } from '../../src/storage/storage.js';

const kRows = 200_000;
const kTries = 3;
/** Pieces take up to 11 ms, with the garbage collection in them. */
const kPieceMs = 20;

const limits: QueryLimits = { ...roomyLimits, maxSeries: 1e6, timeoutMs: 60_000 };

/** Notes the processor time between any two pauses, and does not pause. */
class Watch extends Guard {
  readonly pieces: number[] = [];
  #pieceMs = cpuTimer();

  override breathe(): Promise<void> {
    startTextWork();
    this.pieces.push(this.#pieceMs());
    this.#pieceMs = cpuTimer();
    return Promise.resolve();
  }
}

function packed(texts: readonly string[]): PackedTexts {
  const packer = new TextPacker();
  for (const text of texts) packer.add(text);
  return packer.texts();
}

/** Rows of one metric: `n` is different in each row, `g` in groups of rows. */
function wideTable(name: string): StepTable {
  const rows = Array.from({ length: kRows }, (_, row) => row);
  const groups = Array.from({ length: 40 }, (_, group) => `g${String(group).padStart(2, '0')}`);
  const texts = [[name], groups, rows.map((row) => `node-${String(row).padStart(7, '0')}`)];
  return {
    ...{ rowCount: kRows, rowsScanned: 0, present: null, ends: null, times: null },
    labels: {
      keys: ['__name__', 'g', 'n'],
      texts: texts.map(packed),
      codes: [
        new Uint32Array(kRows).fill(1),
        Uint32Array.from(rows, (row) => 1 + (row % groups.length)),
        Uint32Array.from(rows, (row) => row + 1),
      ],
    },
    values: Float64Array.from(rows, (row) => (row * 7919) % 100_003),
  };
}

class WideSource implements StepSource {
  readonly folds = false;
  readonly #tables = new Map(['a', 'b'].map((name) => [name, wideTable(name)]));

  isCounter = (): Promise<boolean> => Promise.resolve(false);

  select: StepSource['select'] = (matchers) =>
    Promise.resolve({
      ...{ namePrefix: null, terms: [], isAny: false },
      names: matchers.map(({ value }) => value),
    });

  read: StepSource['read'] = ({ of }) => {
    const [name] = 'names' in of && Array.isArray(of.names) ? (of.names as string[]) : [];
    const table = this.#tables.get(name ?? '');
    if (table === undefined) throw new Error('no such metric');
    return Promise.resolve({ ...table, values: table.values.slice() });
  };
}

async function run(source: StepSource, text: string, guard: Guard) {
  const settings = inMs({ lookbackMs: 300_000, subqueryStepMs: 60_000, maxCells: 1 << 24 });
  const frame = inMs({ start: 0, step: 1000, count: 1 });
  const asked = { text, expression: parsePromql(text), frame, settings, source, guard };
  const { value } = await runPromql({ ...asked, ...inMs({ end: 0 }), isInstant: true });
  guard.end();
  if (value.kind !== 'vector') throw new Error(value.kind);
  return value;
}

describe('PromQL over many rows', () => {
  const source = new WideSource();

  for (const text of [
    'a + b',
    'a or b',
    'a and on () b',
    'a * on (g) group_left () max by (g) (b)',
    'sum by (n) (a)',
    'topk(100, a)',
  ]) {
    it(`pauses often: ${text}`, async () => {
      // The same piece in each try, so its minimum is free of chance.
      let fewest: readonly number[] = [];
      for (let at = 0; at < kTries; at += 1) {
        const watch = new Watch(limits);
        await run(source, text, watch);
        const { pieces } = watch;
        if (at > 0) expect(pieces).to.have.lengthOf(fewest.length);
        fewest = pieces.map((piece, place) => Math.min(piece, fewest[place] ?? Infinity));
      }
      expect(Math.max(...fewest)).to.be.lessThan(kPieceMs);
    });
  }

  it('has quantiles of the sorted values', async () => {
    const sorted = wideTable('a').values.sort();
    for (const quantile of [0, 0.25, 0.5, 0.9, 1]) {
      const { values } = await run(source, `quantile(${quantile}, a)`, new Guard(limits));
      const rank = quantile * (kRows - 1);
      const [low, high] = [sorted[Math.floor(rank)] ?? NaN, sorted[Math.ceil(rank)] ?? NaN];
      expect(values[0]).to.be.closeTo(low + (high - low) * (rank - Math.floor(rank)), 1e-6);
    }
    // sqrt() makes a NaN of each negative value; NaN comes first.
    const text = 'quantile(0.25, sqrt(a - 50000))';
    expect((await run(source, text, new Guard(limits))).values[0]).to.deep.equal(NaN);
    const most = await run(source, 'quantile(1, sqrt(a - 50000))', new Guard(limits));
    expect(most.values[0]).to.equal(Math.sqrt(50_002));
  });

  it('has one text for equal made labels, however many there are', async () => {
    const half = 'label_replace(a, "h", "$1", "n", "node-0*([0-9]*)[0-9]")';
    const { labels } = await run(source, `count by (h) (${half})`, new Guard(limits));
    expect(labels.rowCount).to.equal(kRows / 10);
  });
});

describe(`tables side by side, seed ${testSeed}`, () => {
  const random = new Random(testSeed);

  function randomTable(): LabelTable {
    const rowCount = random.below(random.chance(0.3) ? 12_000 : 30);
    const columns = new Map<string, LabelColumn>();
    for (const key of ['k1', 'k2', 'k3'].filter(() => random.chance(0.7))) {
      const count = random.pick([1, 3, 70, 6000]);
      const all = new Set(Array.from({ length: count }, () => random.below(2 * count)));
      const texts = [...all].map((number) => `${random.pick(['', 'é', 'x'])}t${number}`);
      const isAscending = random.chance(0.5);
      if (isAscending) texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const codes = Uint32Array.from({ length: rowCount }, () => random.below(texts.length + 1));
      const given = random.chance(0.5) ? texts : packed(texts);
      columns.set(key, new LabelColumn(given, codes, { isAscending }));
    }
    return new LabelTable(rowCount, columns);
  }

  const described = (table: LabelTable): string[] =>
    Array.from({ length: table.rowCount }, (_, row) => table.describe(row));

  it('have the labels of their rows', async () => {
    const guard = new Guard(limits);
    for (let round = 0; round < 20; round += 1) {
      const tables = Array.from({ length: 1 + random.below(5) }, randomTable);
      const all = await concatLabels(tables, guard);
      expect(described(all)).to.deep.equal(tables.flatMap(described));
      for (const { texts } of all.columns.values()) {
        expect(new Set(texts).size).to.equal(texts.length);
      }
    }
  });

  it('may have long texts that begin alike', async () => {
    const begin = 'x'.repeat(9_000);
    const texts = Array.from({ length: 1_200 }, (_, at) => `${begin}${String((at * 7) % 1_200)}`);
    const codes = Uint32Array.from(texts, (_, at) => at + 1);
    const table = (): LabelTable =>
      new LabelTable(texts.length, new Map([['k', new LabelColumn(texts, codes)]]));
    const all = await concatLabels([table(), table()], new Guard(limits));
    expect(all.columns.get('k')?.textCount).to.equal(texts.length);
  });

  it('have equal ids for equal labels', async () => {
    const guard = new Guard(limits);
    for (let round = 0; round < 20; round += 1) {
      const sides = { left: randomTable(), right: randomTable() };
      const ids = await jointIds(sides, { isWithout: true, labels: [] }, guard);
      const idOf = new Map<string, number>();
      const rows = [...described(sides.left), ...described(sides.right)];
      const expected = rows.map((row) => {
        const id = idOf.get(row) ?? idOf.size;
        idOf.set(row, id);
        return id;
      });
      expect([...ids.left, ...ids.right]).to.deep.equal(expected);
      expect(ids.count).to.equal(idOf.size);
    }
  });
});
