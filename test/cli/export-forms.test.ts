import { assert } from 'chai';

import { CsvForm } from '../../src/cli/exporting/csv-form.js';
import { NdjsonForm } from '../../src/cli/exporting/ndjson-form.js';
import { ParquetForm } from '../../src/cli/exporting/parquet-form.js';

import type { SampleRun } from '../../src/cli/session/sample-runs.js';

const metric = { name: 'm', labelKeys: ['host'], kind: null, unit: null, description: null };

function runOf(labels: Readonly<Record<string, string>>): SampleRun {
  const series = { series_id: 1n, metric: 'm', labels, first_ts: 0n, last_ts: 0n };
  return { metric, series, samples: [{ ts: 1n, value: 2 }], left: 0 };
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
    assert.strictEqual(new NdjsonForm().print(runOf({ zone: 'b' })), late);
  });
});
