/** What the routes of remote_read have in place of ours. */

import { plainErrors } from '../../route/plain-errors.js';

/** The protocol knows one status for what will never succeed. */
export const remoteRead = plainErrors('remote_read', { query_limit_exceeded: 400 });
