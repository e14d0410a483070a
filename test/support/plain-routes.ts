/** Routes that tests define; only their answers matter. */

import { buildTable, type RouteTable } from '../../src/http/route/build-table.js';
import { publicRoute, type RouteContext } from '../../src/http/routes/public-route.js';

import type { Reply } from '../../src/http/route/reply.js';
import type { Request } from '../../src/http/route/request.js';

type Answer = (request: Request, context: RouteContext) => Reply | Promise<Reply>;

/** Rows are method, path, answer. Anybody may ask; neither query nor body is read. */
export function plainTable(
  rows: readonly (readonly ['GET' | 'POST', string, Answer])[],
): RouteTable<RouteContext> {
  const routes = rows.map(([method, path, answer]) =>
    publicRoute({
      method,
      path,
      scope: 'public',
      tag: 'operate',
      summary: 'For a test.',
      answer: { purpose: 'As the test has it.' },
      example: { answer: '' },
      handler: ({ request }, context) => answer(request, context),
    }),
  );
  return buildTable(routes, { elsewhere: 'open' });
}
