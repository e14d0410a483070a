import { assert, expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { adminRoutes } from '../../src/http/admin/route-table.js';

import type { AdminContext } from '../../src/http/admin/admin-route.js';
import type { Request } from '../../src/http/route/request.js';

describe('the admin routes', () => {
  it('reject a misspelt option', () => {
    const request = { head: { query: 'dryrun=true' } } as unknown as Request;
    for (const route of adminRoutes.routes.filter(({ method }) => method === 'POST')) {
      expect(() => route.respond(request, {} as AdminContext), route.path)
        .to.throw(AppError, 'dryrun')
        .with.property('code', 'unknown_field');
    }
  });

  it('cancel a check when its client disconnects', async () => {
    let isClosed = false;
    let leave = (): void => undefined;
    const body = {
      next: () => Promise.resolve(Buffer.from('{}\n')),
      close: () => {
        isClosed = true;
      },
    };
    // Both omit the members that the route does not use.
    const context = { verify: () => body } as unknown as AdminContext;
    const request = {
      head: { query: '' },
      onAbandoned: (listener: () => void) => {
        leave = listener;
      },
    } as unknown as Request;
    const route = adminRoutes.placeOf('/__admin/verify').routes.get('POST');
    assert(route !== undefined);
    const reply = await route.respond(request, context);
    assert(reply.body instanceof Object && 'next' in reply.body);
    assert.strictEqual(String(await reply.body.next()), '{}\n');
    assert.isFalse(isClosed);
    leave();
    assert.isTrue(isClosed);
  });

  it('report in the last line why a check failed midway', async () => {
    const pieces = [Buffer.from('{"kind":"plan"}\n')];
    const body = {
      next: () => {
        const piece = pieces.shift();
        return piece === undefined
          ? Promise.reject(new AppError('storage_unavailable', 'no room'))
          : Promise.resolve(piece);
      },
      close: () => undefined,
    };
    const context = { verify: () => body } as unknown as AdminContext;
    const request = {
      head: { query: '' },
      onAbandoned: () => undefined,
    } as unknown as Request;
    const route = adminRoutes.placeOf('/__admin/verify').routes.get('POST');
    assert(route !== undefined);
    const reply = await route.respond(request, context);
    assert(reply.body instanceof Object && 'next' in reply.body);
    const told = [];
    for (let next = await reply.body.next(); next !== null; next = await reply.body.next()) {
      told.push(JSON.parse(String(next)));
    }
    assert.deepEqual(told, [
      { kind: 'plan' },
      { kind: 'end', status: 'failed', code: 'storage_unavailable', error: 'no room' },
    ]);
  });

  it('announce the flush before it runs, and then compact', async () => {
    const calls: string[] = [];
    let flushed = (): void => undefined;
    const work = {
      next: () => {
        calls.push('next');
        return Promise.resolve(Buffer.from('{"kind":"waiting"}\n'));
      },
      close: () => calls.push('close'),
    };
    const context = {
      openCompaction: () => work,
      flush: () =>
        new Promise<void>((resolve) => {
          calls.push('flush');
          flushed = resolve;
        }),
    } as unknown as AdminContext;
    let leave = (): void => undefined;
    const request = {
      head: { query: '' },
      onAbandoned: (listener: () => void) => {
        leave = listener;
      },
    } as unknown as Request;
    const route = adminRoutes.placeOf('/__admin/compact').routes.get('POST');
    assert(route !== undefined);
    const reply = await route.respond(request, context);
    assert(reply.body instanceof Object && 'next' in reply.body);
    assert.strictEqual(String(await reply.body.next()), '{"kind":"flush"}\n');
    assert.deepEqual(calls, []);
    const next = reply.body.next();
    assert.deepEqual(calls, ['flush']);
    flushed();
    assert.strictEqual(String(await next), '{"kind":"waiting"}\n');
    leave();
    assert.deepEqual(calls, ['flush', 'next', 'close']);
  });
});
