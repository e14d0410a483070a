/**
 * Pages of other sites. A browser sends what any page tells it to send, so that a server without a
 * token would do whatever a page in its operator's browser wants; and a page whose name is bound
 * to this machine's address afterwards is even of the same origin. Browsers say where a request
 * comes from and whom they believe to ask: both are looked at here. Other clients send neither
 * Sec-Fetch-Site nor Origin, and ask by an address or by a name that the operator knows.
 */

import { AppError } from '../../errors/app-error.js';
import { parseAuthority } from '../../model/authority.js';

import type { RequestHead } from '../transport/transport.js';
import type { Cors } from './cors.js';
import type { Place } from '../route/build-table.js';

/** Null: may pass. */
export type SiteGuard = (
  head: RequestHead,
  place: Pick<Place<never>, 'isLinked'>,
) => AppError | null;

interface SiteRules {
  /** Names the origins whose pages may ask. */
  readonly cors: Cors;
  /** A page of another name cannot know the token, so that with one any Host may stand. */
  readonly hasToken: boolean;
  /** Names that the server answers to, besides `localhost` and addresses; lower case. */
  readonly hosts: readonly string[];
}

const kForeign = /\b(?:cross|same)-site\b/i;

export function createSiteGuard({ cors, hasToken, hosts }: SiteRules): SiteGuard {
  const isOwnHost = hasToken ? () => true : hostCheck(hosts);
  return (head, { isLinked }) => {
    const isForeign = isLinked ? hasForeignOrigin(head) : isFromElsewhere(head);
    if (isForeign && !cors.names(head.origin)) {
      return new AppError('forbidden_origin', 'a page of another site may not ask this server');
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

/** Who follows a link sends none. */
function hasForeignOrigin({ origin, host }: RequestHead): boolean {
  return origin !== undefined && !isSameHost(origin, host ?? '');
}

/** Both with their ports; a port that the origin's scheme implies may be left out. */
function isSameHost(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined || parseAuthority(host) === null) return false;
  const own = scheme + host;
  if (!URL.canParse(origin) || !URL.canParse(own)) return false;
  // Only an origin and nothing else: no user, path or query.
  return new URL(origin).origin === origin && new URL(own).origin === origin;
}

/** No Host at all is HTTP/1.0, which no browser speaks. */
function hostCheck(hosts: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(['localhost', ...hosts]);
  let latest: string | undefined;
  return (host) => {
    // Nearly all requests ask by the same text.
    if (host === undefined || host === latest) return true;
    const authority = parseAuthority(host);
    if (authority === null || !(authority.isAddress || names.has(authority.host))) return false;
    latest = host;
    return true;
  };
}
