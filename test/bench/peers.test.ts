import { expect } from 'chai';

import { loadBodies } from '../../bench/generator.js';
import {
  difference,
  influxRows,
  promRows,
  seriesdbRows,
  sqlRows,
} from '../../bench/peers/answers.js';
import { columnsIn, columnsOf } from '../../bench/peers/columns.js';
import { csvOf } from '../../bench/peers/csv.js';

const shape = { hosts: 3, steps: 2, fieldsPerLine: 10, values: 'integer walk' } as const;
const [lines = Buffer.alloc(0)] = loadBodies({ ...shape, format: 'line protocol' });

describe('the data sent to other databases', () => {
  it('has every sample of the lines as a row of CSV', () => {
    const rows = csvOf(lines).toString().trimEnd().split('\n');
    const fields = lines.toString().split(' ')[1]?.split(',') ?? [];
    expect(rows).to.have.length(3 * 2 * 10);
    expect(rows[0]).to.equal(
      `cpu.usage_user,host_0_0,eu-central-1,0,1700000000,${fields[0]?.split('=')[1] ?? ''}`,
    );
    expect(rows.at(-1)).to.match(/^cpu\.usage_guest_nice,host_0_2,ap-south-1,2,1700000010,\d+$/);
  });

  it('has every line as a row of columns, which are read as they were made', () => {
    const { hosts, hostOf, ts, fields } = columnsIn(columnsOf(lines));
    expect(hosts).to.deep.equal([
      ['host_0_0', 'eu-central-1', '0'],
      ['host_0_1', 'us-east-1', '1'],
      ['host_0_2', 'ap-south-1', '2'],
    ]);
    expect([...hostOf]).to.deep.equal([0, 1, 2, 0, 1, 2]);
    expect([...ts].slice(2, 4)).to.deep.equal([1_700_000_000_000, 1_700_000_010_000]);
    expect(fields).to.have.length(10);
    const text = [...ts.keys()].map((row) => fields.map((values) => values[row]).join(',')).join();
    expect(text).to.equal(
      [...lines.toString().matchAll(/=(\d+)[, ](?=[u1])/g)].map(([, value]) => value).join(),
    );
  });
});

describe('the answers of other databases', () => {
  const expected = [
    { metric: 'a', host: 'x', t: 60_000, value: 1.5 },
    { metric: 'b', host: 'x', t: 60_000, value: 2 },
  ];
  const ours = JSON.stringify({
    columns: [
      ...[
        { name: 'metric', type: 'string' },
        { name: 'tag.host', type: 'string' },
      ],
      ...[
        { name: 't', type: 'timestamp' },
        { name: 'max_2', type: 'float' },
      ],
    ],
    rows: [
      ['cpu.a', 'x', 60_000, 1.5],
      ['cpu.b', 'x', 60_000, 2],
    ],
  });

  it('are the same rows in every format', () => {
    expect(seriesdbRows(ours)).to.deep.equal(expected);
    const meta = ['metric', 'host', 't', 'value'].map((name) => ({ name }));
    const data = [
      ['cpu.a', 'x', '60000', 1.5],
      ['b', 'x', 60_000, '2'],
    ];
    expect(sqlRows(JSON.stringify({ meta, data }))).to.deep.equal(expected);
    const series = [
      { tags: { host: 'x' }, columns: ['time', 'a', 'b'], values: [[60_000, 1.5, 2]] },
    ];
    expect(influxRows(JSON.stringify({ results: [{ series }] }))).to.deep.equal(expected);
    const result = [
      { metric: { __name__: 'cpu_a', host: 'x' }, value: [60, '1.5'] },
      { metric: { metric: 'b', host: 'x' }, values: [[60, '2']] },
    ];
    expect(promRows(JSON.stringify({ status: 'success', data: { result } }))).to.deep.equal(
      expected,
    );
    expect(promRows('{"values":[1,2],"timestamps":[5,6]}\n')).to.deep.equal([
      { t: 5, value: 1 },
      { t: 6, value: 2 },
    ]);
  });

  it('differ if a row is missing or has another value, for equal buckets', () => {
    const own = seriesdbRows(ours);
    const other = [{ ...expected[0], value: 1 }, ...expected.slice(1)];
    expect(difference(own, [...expected].reverse(), true)).to.equal(null);
    expect(difference(own, other, true)).to.contain('a x 60000 1.00000000');
    expect(difference(own, expected.slice(1), true)).to.contain('1 rows beside 2');
    expect(difference([], [], true)).to.equal('ours has no rows');
  });

  it('may have a bucket more for each series where buckets are others, and no two', () => {
    const own = seriesdbRows(ours).slice(1);
    const more = (count: number) => Array.from({ length: count }, () => ({ host: 'x', value: 9 }));
    expect(difference(own, more(2), false)).to.equal(null);
    expect(difference(own, more(3), false)).to.equal('3 rows beside 1');
  });
});
