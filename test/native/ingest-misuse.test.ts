/** Table columns and OpenTelemetry rules that the addon refuses. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import { duringSuite, strict, thrownBy, wrongValues } from './addon.js';

import type { NativeEngine } from '../../src/storage/native/contract.js';
import type { NativeIngestOptions } from '../../src/storage/native/ingest-contract.js';

describe('wrong options of a body', () => {
  let engine: NativeEngine;
  duringSuite((opened) => {
    engine = opened;
  });

  const refused = (options: unknown): void => {
    const code = thrownBy(() => engine.beginIngest(options as NativeIngestOptions));
    assert.strictEqual(code, 'invalid_argument', inspect(options));
  };

  it('are rejected: columns of a table', () => {
    const time = { kind: 'time', name: 'time' } as const;
    const value = { kind: 'value', name: 'value' } as const;
    const columns = [time, value];
    const refusedCsv = (csv: object): void => {
      refused({ ...strict, format: { kind: 'csv', ...csv } });
    };
    for (const format of wrongValues((one) => one === undefined)) refused({ ...strict, format });
    for (const kind of wrongValues(() => false)) refused({ ...strict, format: { kind } });
    const rest = { linesBefore: 0, labels: [], skippedBlanks: 'all' } as const;
    for (const column of wrongValues(() => false)) {
      refusedCsv({ columns: column, ...rest });
      refusedCsv({ columns: [...columns, column], ...rest });
    }
    for (const name of wrongValues((one) => typeof one === 'string')) {
      refusedCsv({ columns: [time, { kind: 'value', name }], ...rest });
    }
    for (const wrong of [[], [time], [value], [time, time, value], [time, value, value]]) {
      refusedCsv({ columns: wrong, ...rest });
    }
    for (const linesBefore of [-1, 'x', null, undefined, Number.NaN]) {
      refusedCsv({ ...rest, columns, linesBefore });
    }
    for (const skippedBlanks of wrongValues(() => false)) {
      refusedCsv({ ...rest, columns, skippedBlanks });
    }
    for (const labels of wrongValues((one) => Array.isArray(one) && one.length === 0)) {
      refusedCsv({ ...rest, columns, labels });
    }
    engine.beginIngest({ ...strict, format: { kind: 'csv', ...rest, columns } }).abort();
  });

  it('are rejected: rules of OpenTelemetry', () => {
    const flags = { escapesNames: false, storesDelta: true, labelsScope: false };
    const rules = { ...flags, resourceLabels: ['*'] };
    const refusedOtlp = (otlp: object): void => {
      for (const kind of ['otlp', 'otlp_json']) refused({ ...strict, format: { kind, ...otlp } });
    };
    engine.beginIngest({ ...strict, format: { kind: 'otlp', ...rules } }).abort();
    refusedOtlp({});
    for (const name of Object.keys(flags)) {
      for (const flag of wrongValues((one) => typeof one === 'boolean')) {
        refusedOtlp({ ...rules, [name]: flag });
      }
    }
    for (const resourceLabels of wrongValues((one) => Array.isArray(one) && one.length === 0)) {
      refusedOtlp({ ...rules, resourceLabels });
    }
    refusedOtlp({ ...rules, resourceLabels: ['a', 1] });
  });
});
