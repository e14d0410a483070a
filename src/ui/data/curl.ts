/** Requests as commands of a shell, to be taken away; a token is never in them. */

import { baseUrl } from './base.js';
import { status } from './server.js';

import type { TimeUnit } from '../zone.js';

/** `body` is as the shell is to have it: `shellText` makes a word of any text. */
export function curlOf(route: string, body: string): string {
  const token =
    status.value?.auth_required === true ? ` \\\n  -H "Authorization: Bearer $SDB_TOKEN"` : '';
  return `curl ${baseUrl}/api/v1/${route}${token} \\\n  --data-binary ${body}`;
}

/** One word of the shell, whatever is in it. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Behind the seconds of `date`. */
const zeros = { s: '', ms: '000', us: '000000', ns: '000000000' } as const;

/** Within a text in single quotes: the time at which the command is run. */
export const shellNow = (unit: TimeUnit): string => `'"$(date +%s)${zeros[unit]}"'`;
