/** What bodies of OTLP in JSON hold together before the engine counts it. */
import { expect } from 'chai';

import { Later } from '../../../src/model/later.js';
import { JsonIngest, JsonRoom } from '../../../src/protocols/otlp/json-ingest.js';

import type { Ingest, IngestReport } from '../../../src/operations/ingest.js';

const report: IngestReport = {
  ...{ ingested: 0, rejected: 0, lines: 0, rejectedBy: [], errors: [], skipped: [] },
};

function fakeIngest(written: Uint8Array[]): Ingest {
  return {
    write: (chunk) => {
      written.push(chunk.slice());
      return false;
    },
    commit: () => Later.of(report),
    abort: () => undefined,
  };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const kBody = '{"resourceMetrics":[{},{}]}';

describe('bodies of OTLP in JSON', () => {
  it('wait for room, which those that end give back, however they end', async () => {
    const written: Uint8Array[] = [];
    const room = new JsonRoom(kBody.length * 2);
    const open = (): JsonIngest => new JsonIngest(fakeIngest(written), room);
    const [first, second, third] = [open(), open(), open()];
    first.write(bytesOf(kBody));
    second.write(bytesOf('{"resourceMetrics":'));
    second.write(bytesOf('[{},{}]}'));
    const overfull = (): unknown => third.write(bytesOf('x'));
    expect(overfull).to.throw().with.property('code', 'ingest_backpressure');
    await first.commit();
    expect(written.length).to.equal(2);
    third.write(bytesOf(kBody));
    expect(overfull).to.throw();
    third.abort();
    third.abort();
    await open()
      .commit()
      .then(
        () => expect.fail('nothing is no JSON'),
        (error: unknown) => expect(error).to.have.property('code', 'parse_failed'),
      );
    const [fourth, fifth] = [open(), open()];
    fourth.write(bytesOf(kBody));
    expect(() => fifth.write(bytesOf('x'))).to.throw();
    second.abort();
    fifth.write(bytesOf(kBody));
  });

  it('may nest as deep as attributes do, and not so deep that it takes seconds', () => {
    const write = (text: string): unknown =>
      new JsonIngest(fakeIngest([]), new JsonRoom(text.length)).write(bytesOf(text));
    const deep = (): unknown => write('['.repeat(200));
    expect(deep).to.throw('more than 128 levels').with.property('code', 'parse_failed');
    const mixed = (): unknown => write('{"a":['.repeat(70));
    expect(mixed).to.throw('more than 128 levels');
    write('{"a":[1]},'.repeat(1000));
    write(`{"a":"${'[\\"{'.repeat(1000)}"}`);
  });
});
