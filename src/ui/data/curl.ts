/** Requests as shell commands to copy; they never contain a token. */

import { baseUrl } from './base.js';
import { status } from './server.js';

import type { TimeUnit } from '../zone.js';

/** `body` must be a shell word; see `shellText`. */
export function curlOf(route: string, body: string): string {
  const token =
    status.value?.auth_required === true ? ` \\\n  -H "Authorization: Bearer $SDB_TOKEN"` : '';
  return `curl ${baseUrl}/api/v1/${route}${token} \\\n  --data-binary ${body}`;
}

/** Quotes any text as one shell word. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The zeros that turn the seconds of `date` into the unit. */
const zeros = { s: '', ms: '000', us: '000000', ns: '000000000' } as const;

/** The current time, for use inside a single-quoted text; the shell evaluates it. */
export const shellNow = (unit: TimeUnit): string => `'"$(date +%s)${zeros[unit]}"'`;
