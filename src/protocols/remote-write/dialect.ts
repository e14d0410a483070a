/** How receivers of remote_write say what went wrong: a line of text for the log of the sender. */

import * as json from '../../http/fields/json-schema.js';

import type { Reply } from '../../http/route/reply.js';
import type { RouteProtocol } from '../../http/route/route.js';

type Headers = NonNullable<Reply['headers']>;

const kText = 'text/plain; charset=utf-8';

export const remoteWrite: RouteProtocol = {
  name: 'remote_write',
  errorSchema: json.named('PlainError', json.text),
  errorMediaType: 'text/plain',
  printError: ({ error, headers }) => {
    const { status, message } = error;
    // Senders try again after any 5xx and drop what a 4xx refuses.
    const isRetried = status === 503 && !headers.some(([name]) => name === 'retry-after');
    const retry: Headers = isRetried ? [['retry-after', '10']] : [];
    return { status, contentType: kText, headers: [...headers, ...retry], body: `${message}\n` };
  },
};
