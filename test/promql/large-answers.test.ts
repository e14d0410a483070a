/** Answers of many rows or cells are complete, however they are printed and sent. */
import { expect } from 'chai';

import { World } from './scripts/world.js';

const kSteps = 100;

interface Row {
  readonly metric: Readonly<Record<string, string>>;
  readonly values?: readonly (readonly [number, string])[];
}

const labelOf = (row: number, length: number): string => String(row).padStart(length, 'x');

describe('large PromQL answers', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.open();
  });
  afterEach(() => world.close());

  async function rowsOf(path: string, asked: Readonly<Record<string, string>>): Promise<Row[]> {
    const { status, body } = await world.ask(path, asked);
    expect(status).to.equal(200);
    return body.data?.result as Row[];
  }

  // Above 4,096 cells another thread prints them, in pieces.
  for (const [count, length] of [
    [1500, 150],
    [3000, 5],
    [4096, 5],
    [4096, 150],
    [5000, 150],
  ] as const) {
    it(`have ${count} rows of labels of ${length} characters`, async () => {
      const series = Array.from({ length: count }, (_, row) => ({
        labels: { __name__: 'm', n: labelOf(row, length) },
        samples: [[1000, row]] as const,
      }));
      await world.write(series);
      const wanted = series.map(({ labels }) => labels.n).sort();
      for (const rows of [
        await rowsOf('/api/v1/query', { query: 'm', time: '1' }),
        await rowsOf('/api/v1/query_range', { query: 'm', start: '1', end: '1', step: '1' }),
      ]) {
        expect(rows.map(({ metric }) => metric['n']).sort()).to.deep.equal(wanted);
      }
    });
  }

  it('contain each value that passes a filter, and no row without a value', async () => {
    await world.write(
      Array.from({ length: 400 }, (_, row) => ({
        labels: { __name__: 'm', n: String(row) },
        samples: Array.from({ length: kSteps }, (_none, at) => [at * 1000, row * at] as const),
      })),
    );
    for (const least of [-1, 1000, 35_000, 39_500, 1e9]) {
      const query = `m > ${least}`;
      const times = { start: '0', end: String(kSteps - 1), step: '1' };
      const rows = await rowsOf('/api/v1/query_range', { query, ...times });
      const found = new Map(rows.map(({ metric, values }) => [metric['n'], values]));
      let rowCount = 0;
      for (let row = 0; row < 400; row += 1) {
        const values = Array.from({ length: kSteps }, (_, at) => [at, row * at] as const)
          .filter(([, value]) => value > least)
          .map(([at, value]) => [at, String(value)]);
        expect(found.get(String(row)) ?? []).to.deep.equal(values);
        rowCount += values.length === 0 ? 0 : 1;
      }
      expect(rows.length).to.equal(rowCount);
    }
  });
});
