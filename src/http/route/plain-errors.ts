/** Errors in the style of Prometheus' protocols: one line of text for the client's log. */

import * as json from '../fields/json-schema.js';

import type { Reply } from './reply.js';
import type { RouteProtocol } from './route.js';

type PlainHeaders = NonNullable<Reply['headers']>;

const plainError = json.named('PlainError', json.text);
export const plainText = 'text/plain; charset=utf-8';

/** Creates a protocol with this name and such errors. */
export function plainErrors(
  name: string,
  statuses: NonNullable<RouteProtocol['statuses']> = {},
): RouteProtocol {
  return {
    name,
    statuses,
    errorSchema: plainError,
    errorMediaType: 'text/plain',
    printError: ({ error, headers }) => {
      const { message } = error;
      const status = statuses[error.code] ?? error.status;
      // Senders retry after any 5xx and drop data after a 4xx.
      const isRetried = status === 503 && !headers.some(([key]) => key === 'retry-after');
      const retry: PlainHeaders = isRetried ? [['retry-after', '10']] : [];
      return {
        status,
        contentType: plainText,
        headers: [...headers, ...retry],
        body: `${message}\n`,
      };
    },
  };
}
