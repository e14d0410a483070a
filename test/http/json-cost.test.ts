import { expect } from 'chai';

import { checkJsonCost, kJsonPartsMax, kJsonStringMax } from '../../src/http/fields/json-cost.js';
import { startInjected } from '../support/http-server.js';

function check(text: string): void {
  checkJsonCost(Buffer.from(text));
}

const isRefused = { code: 'invalid_json' };

describe('the cost of a JSON body', () => {
  it('counts members and items up to the limit and rejects one more', () => {
    const list = (items: number): string => `[${Array(items).fill('{}').join(',')}]`;
    // An opening for the list, one for each item, and the commas between them.
    const most = kJsonPartsMax / 2;
    check(list(most));
    expect(() => {
      check(list(most + 1));
    })
      .to.throw()
      .that.includes(isRefused);
  });

  it('counts nothing inside a string, whatever is escaped in it', () => {
    const text = ',[{\\"\\\\'.repeat(10_000);
    check(`{"message":"${text}","kind":"k"}`);
    expect(() => {
      check(`{"message":"${text}","more":[${'1,'.repeat(kJsonPartsMax)}1]}`);
    })
      .to.throw()
      .that.includes(isRefused);
  });

  it('accepts a string up to the limit and rejects one byte more', () => {
    check(`["${'a'.repeat(kJsonStringMax)}"]`);
    expect(() => {
      check(`["${'a'.repeat(kJsonStringMax + 1)}"]`);
    })
      .to.throw()
      .that.includes(isRefused);
  });

  it('ends at the end of text that is not JSON', () => {
    for (const end of ['"', '"a', '"\\', '\\']) check(' '.repeat(2 * kJsonPartsMax) + end);
  });

  it('is checked before a body is parsed', async () => {
    const server = startInjected();
    try {
      const labels = (count: number): string =>
        `{"labels":{${Array.from({ length: count }, (_, at) => `"key ${at}":"v"`).join(',')}}}`;
      const target = '/api/v1/metrics/find';
      const many = await server.ask(target, { body: labels(50_000) });
      expect([many.status, await many.json()]).to.deep.equal([
        400,
        {
          error: `the body has more than ${kJsonPartsMax} values`,
          code: 'invalid_json',
          status: 400,
        },
      ]);
      const few = await server.ask(target, { body: labels(64) });
      expect(few.status).to.equal(200);
    } finally {
      server.close();
    }
  });
});
