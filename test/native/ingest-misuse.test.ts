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
    const [time, value] = ['time', 'value'].map((kind) => ({ kind, name: kind }));
    const columns = [time, value];
    for (const csv of wrongValues((one) => one === undefined)) refused({ ...strict, csv });
    for (const column of wrongValues(() => false)) {
      refused({ ...strict, csv: { columns: column, linesBefore: 0 } });
      refused({ ...strict, csv: { columns: [...columns, column], linesBefore: 0 } });
    }
    for (const name of wrongValues((one) => typeof one === 'string')) {
      refused({ ...strict, csv: { columns: [time, { kind: 'value', name }], linesBefore: 0 } });
    }
    for (const wrong of [[], [time], [value], [time, time, value], [time, value, value]]) {
      refused({ ...strict, csv: { columns: wrong, linesBefore: 0 } });
    }
    for (const linesBefore of [-1, 'x', null, undefined, Number.NaN]) {
      refused({ ...strict, csv: { columns, linesBefore } });
    }
  });

  it('are rejected: rules of OpenTelemetry', () => {
    const flags = { escapesNames: false, storesDelta: true, labelsScope: false, isJson: true };
    const rules = { ...flags, resourceLabels: ['*'] };
    engine.beginIngest({ ...strict, otlp: rules }).abort();
    for (const otlp of wrongValues((one) => one === undefined)) refused({ ...strict, otlp });
    for (const name of Object.keys(flags)) {
      for (const flag of wrongValues((one) => typeof one === 'boolean')) {
        refused({ ...strict, otlp: { ...rules, [name]: flag } });
      }
    }
    for (const resourceLabels of wrongValues((one) => Array.isArray(one) && one.length === 0)) {
      refused({ ...strict, otlp: { ...rules, resourceLabels } });
    }
    refused({ ...strict, otlp: { ...rules, resourceLabels: ['a', 1] } });
  });
});
