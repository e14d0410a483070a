/** The status line's text after the version. */

import { STATUS_CODES } from 'node:http';

/** Statuses of the first answers, which then need not load `node:http`. */
const lines = new Map([
  [200, '200 OK'],
  [204, '204 No Content'],
  [404, '404 Not Found'],
]);

export function statusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    lines.set(status, line);
  }
  return line;
}
