/** The dialect of remote_read routes. */

import { plainErrors } from '../../route/plain-errors.js';

/** The protocol has one status for errors that a retry cannot fix. */
export const remoteRead = plainErrors('remote_read', { query_limit_exceeded: 400 });
