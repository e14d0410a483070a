import { assert } from 'chai';

import { CsvForm } from '../../src/cli/exporting/csv-form.js';
import { exportedLines } from '../../src/cli/exporting/exported-lines.js';
import { ParquetForm } from '../../src/cli/exporting/parquet-form.js';
import { RunReader, type SampleRun } from '../../src/cli/exporting/sample-runs.js';
import { Random, testSeed } from '../support/random.js';

const metric = { name: 'm', labelKeys: ['host'], kind: null, unit: null, description: null };

function runOf(labels: Readonly<Record<string, string>>): SampleRun {
  return { metric, labels, samples: [{ ts: '1', value: '2' }] };
}

describe('export formats', () => {
  it('a table has no column for a label key that appears later, lines do', () => {
    for (const form of [new CsvForm('ms', [metric]), new ParquetForm('ms', [metric])]) {
      form.begin();
      assert.isNotNull(form.print(runOf({ host: 'a' })));
      assert.isNull(form.print(runOf({ host: 'a', zone: 'b' })));
      assert.isNotNull(form.print(runOf({})));
    }
    const late = '{"metric":"m","labels":{"zone":"b"},"ts":1,"value":2}\n';
    const runs = [...new RunReader([metric]).read(Buffer.from(late))];
    assert.deepEqual(runs, [runOf({ zone: 'b' })]);
  });

  it('the lines of a series with a descriptor or members in a label are read', () => {
    const odd = { 'a,"ts":7': ',"ts":8,"value":9}' };
    const labels = JSON.stringify(odd);
    const lines =
      `{"kind":"gauge","metric":"m","labels":${labels},"ts":-1,"value":-0}\n` +
      `{"metric":"m","labels":${labels},"ts":2,"value":5e-324}\n` +
      `{"metric":"m","labels":${labels},"ts":3,"value":1e21}\n` +
      '{"metric":"later","labels":{},"ts":3,"value":1}\n';
    const runs = [...new RunReader([metric]).read(Buffer.from(lines))];
    const rows = runs.flatMap(({ metric: { name }, labels: own, samples }) =>
      samples.map(({ ts, value }) => [name, own, ts, value]),
    );
    assert.deepEqual(rows, [
      ['m', odd, '-1', '-0'],
      ['m', odd, '2', '5e-324'],
      ['m', odd, '3', '1e21'],
      ['later', {}, '3', '1'],
    ]);
  });
});

describe('the stream of an export', () => {
  const totals = '{"samples":3,"left_out":1}\n';

  async function read(pieces: readonly Uint8Array[]) {
    const lines = exportedLines(
      (async function* () {
        for (const piece of pieces) yield await Promise.resolve(piece);
      })(),
    );
    let text = '';
    for (let step = await lines.next(); ; step = await lines.next()) {
      if (step.done === true) return { text, totals: step.value };
      const piece = Buffer.from(step.value).toString();
      assert.isTrue(piece.endsWith('\n'), piece);
      text += piece;
    }
  }

  it(`may be cut anywhere (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    const text = '{"metric":"ä"}\n{"metric":"b"}\n{"metric":"😀"}\n';
    const bytes = Buffer.from(text + totals);
    for (let round = 0; round < 300; round += 1) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const end = at + 1 + random.below(30);
        pieces.push(bytes.subarray(at, end));
        at = end;
      }
      assert.deepEqual(await read(pieces), { text, totals: { samples: 3, leftOut: 1 } });
    }
    const none = await read([Buffer.from(totals)]);
    assert.deepEqual(none, { text: '', totals: { samples: 3, leftOut: 1 } });
  });

  it('fails without its totals', async () => {
    for (const text of ['', '{"metric":"a"}\n', totals.trimEnd(), `${totals}{"metric":"a"}\n`]) {
      const failed = await read([Buffer.from(text)]).then(() => 'it was read', String);
      assert.match(failed, /ended too early/, text);
    }
  });
});
