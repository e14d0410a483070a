/**
 * Protects a server without a token against pages of other sites. Browsers send any request for a
 * page, and DNS rebinding even makes the page same-origin. Browsers report origin and target host,
 * and both are checked here. Other clients send neither Sec-Fetch-Site nor Origin, and use an
 * address or a known name.
 */

import { AppError } from '../../common/errors/app-error.js';
import { parseAuthority } from '../../common/model/authority.js';

import type { RequestHead } from '../transport/transport.js';
import type { Cors } from './cors.js';
import type { RoutePlace } from '../route/build-table.js';

/** Null: allowed. */
export type SiteGuard = (
  head: RequestHead,
  place: Pick<RoutePlace<never>, 'isLinked'>,
) => AppError | null;

interface SiteRules {
  /** The origins whose pages may call. */
  readonly cors: Cors;
  /** With tokens any Host is accepted, since a page under another name cannot know the token. */
  readonly hasToken: boolean;
  /** Host names of the server, in addition to `localhost` and addresses; lower case. */
  readonly hosts: readonly string[];
}

const kForeign = /\b(?:cross|same)-site\b/i;

export function createSiteGuard({ cors, hasToken, hosts }: SiteRules): SiteGuard {
  const isOwnHost = hasToken ? () => true : hostCheck(hosts);
  return (head, { isLinked }) => {
    const isForeign = isLinked ? hasForeignOrigin(head) : isFromElsewhere(head);
    if (isForeign && !cors.names(head.origin)) {
      return new AppError('forbidden_origin', 'a page of another site may not use this server');
    }
    if (isOwnHost(head.host)) return null;
    const message =
      'without a token the server answers only to an IP address, to localhost, and to the names ' +
      'in the setting hosts';
    return new AppError('forbidden_host', message);
  };
}

function isFromElsewhere(head: RequestHead): boolean {
  const { fetchSite } = head;
  return (fetchSite !== undefined && kForeign.test(fetchSite)) || hasForeignOrigin(head);
}

/** Navigation by a link sends no Origin. */
function hasForeignOrigin({ origin, host }: RequestHead): boolean {
  return origin !== undefined && !isSameHost(origin, host ?? '');
}

/** Both with ports; the default port of the scheme may be omitted. */
function isSameHost(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined || parseAuthority(host) === null) return false;
  const own = scheme + host;
  if (!URL.canParse(origin) || !URL.canParse(own)) return false;
  // Only a bare origin: no user, path or query.
  return new URL(origin).origin === origin && new URL(own).origin === origin;
}

/** A request without Host is HTTP/1.0, which no browser uses. */
function hostCheck(hosts: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(['localhost', ...hosts]);
  let latest: string | undefined;
  return (host) => {
    // Nearly all requests have the same text.
    if (host === undefined || host === latest) return true;
    const authority = parseAuthority(host);
    if (authority === null || !(authority.isAddress || names.has(authority.host))) return false;
    latest = host;
    return true;
  };
}
