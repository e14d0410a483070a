/** Builds the HTTP request of a route's example. */

import type { RouteDescription } from '../../src/http/route/route.js';
import type { RequestOptions } from './client.js';

export interface ExampleRequest {
  readonly method: string;
  readonly target: string;
  readonly options: RequestOptions;
}

export function exampleRequest({
  method,
  path,
  example: { query = {}, body },
}: RouteDescription): ExampleRequest {
  let target = path;
  const parts: string[] = [];
  for (const [name, text] of Object.entries(query)) {
    const value = encodeURIComponent(text);
    if (path.includes(`{${name}}`)) target = path.replace(`{${name}}`, value);
    else parts.push(`${name}=${value}`);
  }
  return {
    method,
    target: parts.length === 0 ? target : `${target}?${parts.join('&')}`,
    options: body === undefined ? {} : { body: asText(body) },
  };
}

function asText(body: string | object): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
