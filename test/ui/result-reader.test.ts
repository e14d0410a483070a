/** Answers of statements, read while they come. */

import { assert } from 'chai';

import { ResultReader } from '../../src/ui/data/result-reader.js';

const answer =
  '{"columns":[{"name":"a]","type":"integer","nullable":false},' +
  '{"name":"b","type":"string","nullable":true}],"rows":[' +
  String.raw`[9007199254740993,"x],[\"y"],[-1,null],[2,""]` +
  '],"stats":{"parse_ms":0.5,"rows_emitted":3}}';
const rows = [
  [9007199254740993n, 'x],["y'],
  [-1n, null],
  [2n, ''],
];

function readIn(pieces: readonly string[]) {
  const reader = new ResultReader();
  const found = pieces.flatMap((piece) => reader.read(piece));
  return { found, columns: reader.columns, stats: reader.finish() };
}

describe('the reader of answers', () => {
  it('reads the same rows however the text is split', () => {
    for (let at = 0; at <= answer.length; at += 1) {
      const { found, columns, stats } = readIn([answer.slice(0, at), answer.slice(at)]);
      assert.deepEqual(found, rows, `cut at ${at}`);
      assert.deepEqual(
        columns.map(({ name }) => name),
        ['a]', 'b'],
      );
      assert.strictEqual(stats['rows_emitted'], 3);
    }
    assert.deepEqual(readIn(Array.from(answer)).found, rows);
  });

  it('returns rows before the answer ends, and rejects a truncated one', () => {
    const reader = new ResultReader();
    const end = answer.indexOf(',[2,');
    assert.deepEqual(reader.read(answer.slice(0, end + 2)), rows.slice(0, 2));
    assert.throws(() => reader.finish(), /not JSON/);
  });

  it('reads an answer without rows', () => {
    const { found, stats } = readIn(['{"columns":[],"rows":[],"stats":{"parse_ms":1}}']);
    assert.deepEqual(found, []);
    assert.strictEqual(stats['parse_ms'], 1);
  });
});
