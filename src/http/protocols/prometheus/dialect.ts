/** The error format of Prometheus' HTTP API. */

import * as json from '../../fields/json-schema.js';

import type { AppError } from '../../../common/errors/app-error.js';
import type { Reply } from '../../route/reply.js';
import type { RouteProtocol } from '../../route/route.js';

type PrometheusHeaders = NonNullable<Reply['headers']>;

const statuses: NonNullable<RouteProtocol['statuses']> = {
  execution_error: 422,
  query_limit_exceeded: 422,
  query_timeout: 503,
};

const kinds: Readonly<Partial<Record<AppError['code'], string>>> = {
  query_timeout: 'timeout',
  request_timeout: 'timeout',
  query_cancelled: 'canceled',
};

const kindsOfStatus = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [422, 'execution'],
  [503, 'unavailable'],
]);

export const prometheus: RouteProtocol = {
  name: 'prometheus',
  statuses,
  errorSchema: json.named(
    'PrometheusError',
    json.object({ status: { const: 'error' }, errorType: json.text, error: json.text }),
  ),
  printError: ({ error, headers }) => {
    const status = statuses[error.code] ?? error.status;
    const kind = kinds[error.code] ?? kindsOfStatus.get(status);
    const errorType = kind ?? (status < 500 ? 'bad_data' : 'internal');
    // The obstacle goes away, by itself or through an operator.
    const isRetried = kind === 'unavailable' && !headers.some(([key]) => key === 'retry-after');
    const retry: PrometheusHeaders = isRetried ? [['retry-after', '10']] : [];
    return {
      status,
      contentType: 'application/json',
      headers: [...headers, ...retry],
      body: JSON.stringify({ status: 'error', errorType, error: error.message }),
    };
  },
};
