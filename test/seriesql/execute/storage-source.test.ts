import { expect } from 'chai';

import { databaseTime } from '../../../src/common/model/timestamp-unit.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { Guard } from '../../../src/query/limits/guard.js';
import { PreparedStatements } from '../../../src/query/seriesql/prepared.js';
import { StorageSource } from '../../../src/query/seriesql/execute/storage-source.js';
import { FakeStorage } from '../../support/fake-storage.js';

import type { DeletePlan } from '../../../src/query/seriesql/plan/plan.js';
import type { ByteStream, Discovery, SeriesRemoval } from '../../../src/storage/storage.js';

const unit = 'ms';
const limits = { maxRows: 10, maxSeries: 7, maxSamples: 10, maxTextBytes: 1e6, timeoutMs: 60_000 };

/** Records its calls; answers discovery with the given list. */
class NotingStorage extends FakeStorage {
  readonly removals: SeriesRemoval[] = [];
  readonly asked: Discovery[] = [];
  readonly answers: Partial<Record<Discovery['answer'], string>>;

  constructor(answers: Partial<Record<Discovery['answer'], string>>) {
    super();
    this.answers = answers;
  }

  override openDiscovery(discovery: Discovery): ByteStream {
    this.asked.push(discovery);
    const pieces = [Buffer.from(this.answers[discovery.answer] ?? '[]')];
    return { next: () => Promise.resolve(pieces.shift() ?? null), close: () => undefined };
  }

  override remove(removal: SeriesRemoval): Promise<number> {
    this.removals.push(removal);
    return Promise.resolve(5);
  }
}

const evaluator = new Evaluator(unit);

function deletionOf(text: string): DeletePlan {
  const prepared = new PreparedStatements();
  const { plan } = prepared.plan(prepared.parse(text), { unit, now: databaseTime(0n), evaluator });
  if (plan.kind !== 'delete') throw new Error(`${text} deletes nothing`);
  return plan;
}

describe('deletion through the port of the query engines', () => {
  const remove = async (storage: NotingStorage, where: string): Promise<number> => {
    const plan = deletionOf(`delete from cpu where time between 1 and 2 and ${where}`);
    return new StorageSource(storage, unit, evaluator).remove(plan, new Guard(limits));
  };

  it('requests no series if names and values list them', async () => {
    const storage = new NotingStorage({});
    expect(await remove(storage, "tag.host in ('a', 'b')")).to.equal(5);
    expect(storage.asked).to.deep.equal([]);
    const terms = [{ key: 'host', values: ['a', 'b'], isNegated: false, acceptsMissing: false }];
    const series = { namePrefix: null, names: ['cpu'], terms, isAny: false };
    const ranges = BigInt64Array.of(1n, 2n);
    expect(storage.removals).to.deep.equal([{ series, ranges, seriesMax: 7 }]);
  });

  it('requests label values, not series, for a pattern', async () => {
    const storage = new NotingStorage({ labelValues: '{"values":["a1","b1","a2"]}' });
    await remove(storage, "tag.host =~ '^a'");
    expect(storage.asked.map(({ answer }) => answer)).to.deep.equal(['labelValues']);
    const series = storage.removals[0]?.series;
    const terms = series === undefined || series instanceof BigUint64Array ? [] : series.terms;
    const packed = { bytes: new Uint8Array(Buffer.from('a1a2')), ends: Uint32Array.of(2, 4) };
    expect(terms).to.have.lengthOf(1);
    expect(terms[0]?.values).to.have.property('ends').that.deep.equals(packed.ends);
    expect(terms[0]?.values).to.have.property('bytes').that.deep.equals(packed.bytes);
  });

  it('checks each series only for what lists cannot tell, and keeps only its id', async () => {
    const one = (id: number, host: string, rack: string): string =>
      JSON.stringify({ series_id: id, metric: 'cpu', labels: { host, rack } });
    const series = `[${[one(1, 'a', 'a'), one(2, 'a', 'b'), one(3, 'c', 'c')].join()}]`;
    const storage = new NotingStorage({ series });
    await remove(storage, 'tag.host = tag.rack');
    expect(storage.removals[0]?.series).to.deep.equal(BigUint64Array.of(1n, 3n));
  });
});
