import { assert } from 'chai';

import { adminRoutes, type AdminContext } from '../../src/admin/routes.js';

import type { Request } from '../../src/http/request.js';

describe('the admin routes', () => {
  it('end a check that nobody waits for any more', async () => {
    let isClosed = false;
    let leave = (): void => undefined;
    const body = {
      next: () => Promise.resolve(null),
      close: () => {
        isClosed = true;
      },
    };
    // What the route does not use is left out of both.
    const context = { verify: () => body } as unknown as AdminContext;
    const request = {
      onAbandoned: (listener: () => void) => {
        leave = listener;
      },
    } as unknown as Request;
    const route = adminRoutes.get('/__admin/verify')?.get('POST');
    assert(route !== undefined);
    const reply = await route.answer(request, context);
    assert.strictEqual(reply.body, body);
    assert.isFalse(isClosed);
    leave();
    assert.isTrue(isClosed);
  });
});
