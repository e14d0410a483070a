/** How and when the end of a body is reported. */
import { execFileSync } from 'node:child_process';

import { assert } from 'chai';

import {
  addonPath,
  duringSuite,
  freshDirectory,
  linesFrom,
  optionsFor,
  strict,
  thrownBy,
} from './addon.js';

import { addonFile } from '../../src/storage/native/load.js';

import type { NativeEngine } from '../../src/storage/native/contract.js';
import type { NativeIngest } from '../../src/storage/native/ingest-contract.js';

type Told = readonly unknown[];

async function told(body: NativeIngest): Promise<Told> {
  return new Promise((resolve) => {
    let isCalling = true;
    body.commit((...all) => {
      resolve(isCalling ? ['within the call'] : all);
    });
    isCalling = false;
  });
}

describe('the end of a body', () => {
  let engine: NativeEngine;
  duringSuite((opened) => {
    engine = opened;
  });

  it('is reported by two numbers if that is all, otherwise by a report object', async () => {
    const plain = engine.beginIngest(strict);
    plain.write(linesFrom(1, 3));
    assert.deepEqual(await told(plain), [3, 3]);
    const lenient = engine.beginIngest({ ...strict, isLenient: true });
    lenient.write(Buffer.concat([linesFrom(1, 2), Buffer.from('no line\n')]));
    const [ingested, lines, report] = await told(lenient);
    assert.deepEqual([ingested, lines], [2, 3]);
    assert.include(report, { ingested: 2, lines: 3, rejected: 1 });
    const suspect = engine.beginIngest(strict);
    suspect.write(Buffer.from('{"metric":"m","labels":{},"ts":1700000000,"value":1}\n'));
    assert.nestedInclude((await told(suspect))[2], { 'suspect.unit': 's' });
  });

  it('is reported by an error after the call, even if known before', async () => {
    const body = engine.beginIngest(strict);
    body.write(Buffer.from('no line'));
    const [, , error] = await told(body);
    assert.instanceOf(error, Error);
    assert.propertyVal(error, 'code', 'invalid_json');
    assert.strictEqual(engine.stats().counts['request_bytes'], 0);
  });

  it('requires a callback', () => {
    for (const wrong of [undefined, null, 1, {}, 'done']) {
      const body = engine.beginIngest(strict);
      const code = thrownBy(() => {
        body.commit(wrong as Parameters<NativeIngest['commit']>[0]);
      });
      assert.strictEqual(code, 'invalid_argument');
      body.abort();
    }
  });

  it('reaches the other callbacks if one throws', () => {
    const options = JSON.stringify({ ...optionsFor(freshDirectory()), maxFutureSkew: null });
    const program = `
      const addon = require(${JSON.stringify(addonPath ?? addonFile())});
      process.on('uncaughtException', (error) => console.log(error.message));
      addon.openEngine({ ...${options}, maxFutureSkew: -1n }).then((engine) => {
        for (const at of [0, 1, 2]) {
          const body = engine.beginIngest({ precision: 'ms', isLenient: false });
          body.write(Buffer.from('{"metric":"m","labels":{},"ts":1,"value":1}\\n'));
          body.commit((ingested) => {
            if (at === 1) throw new Error('thrown');
            console.log(ingested);
          });
        }
      });`;
    const printed = execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    assert.sameMembers(printed.trim().split('\n'), ['1', 'thrown', '1']);
  });
});
