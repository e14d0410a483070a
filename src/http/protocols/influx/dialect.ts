/** InfluxDB's error formats: version 1 on `/write` and `/query`, version 2 elsewhere. */

import * as json from '../../fields/json-schema.js';

import type { AppError } from '../../../common/errors/app-error.js';
import type { Reply } from '../../route/reply.js';
import type { RouteProtocol } from '../../route/route.js';

type InfluxHeaders = NonNullable<Reply['headers']>;
type Printed = Parameters<RouteProtocol['printError']>[0];

/** Clients take version 1.8 to support both APIs. */
export function influxHeaders(version: string): InfluxHeaders {
  return [['x-influxdb-version', `1.8-seriesdb/${version}`]];
}

export const influx1: RouteProtocol = {
  name: 'influx',
  takesQuerySecret: true,
  errorSchema: json.named('InfluxError', json.object({ error: json.text })),
  printError: (printed) => {
    const message = messageOf(printed.error);
    const headers: InfluxHeaders = [['x-influxdb-error', headerText(message)]];
    return reply(printed, { error: message }, headers);
  },
};

export const influx2: RouteProtocol = {
  name: 'influx',
  errorSchema: json.named('Influx2Error', json.object({ code: json.text, message: json.text })),
  printError: (printed) => {
    const { error } = printed;
    return reply(printed, { code: codeOf(error.status), message: messageOf(error) });
  },
};

function reply(
  { error, headers, version }: Printed,
  body: object,
  more: InfluxHeaders = [],
): Reply {
  const { status } = error;
  // The obstacle goes away, by itself or through an operator, and the samples are still wanted.
  const isRetried = status === 503 && !headers.some(([name]) => name === 'retry-after');
  const retry: InfluxHeaders = isRetried ? [['retry-after', '10']] : [];
  return {
    status,
    contentType: 'application/json',
    headers: [...headers, ...retry, ...more, ...influxHeaders(version)],
    body: JSON.stringify(body),
  };
}

/** Clients recognize this error by its text. */
function messageOf({ code, message }: AppError): string {
  return code === 'unauthorized' ? 'authorization failed' : message;
}

const codes = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not found'],
  [405, 'method not allowed'],
  [413, 'request too large'],
  [422, 'unprocessable entity'],
  [503, 'unavailable'],
]);

function codeOf(status: number): string {
  return codes.get(status) ?? (status < 500 ? 'invalid' : 'internal error');
}

/** Replaces characters outside visible ASCII, and cuts after 512 characters. */
function headerText(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 512);
}
