/**
 * Extracts the secret from a request. Clients of other databases send it in their own ways; each
 * way carries the same token.
 */

/** Candidate secrets; at most one is the client's token. */
type Secrets = readonly string[];

const none: Secrets = [];

/** `Bearer TOKEN`. */
export function bearerSecrets(authorization: string | undefined): Secrets {
  const { scheme, rest } = partsOf(authorization);
  return scheme === 'bearer' ? [rest] : none;
}

/**
 * `Bearer TOKEN`; InfluxDB's `Token TOKEN` and `Token USER:TOKEN`; or `Basic` with the token as the
 * password of any user.
 */
export function headerSecrets(authorization: string | undefined): Secrets {
  const { scheme, rest } = partsOf(authorization);
  if (scheme === 'bearer') return [rest];
  // A token may contain a colon.
  if (scheme === 'token') return [rest, ...passwordOf(rest)];
  if (scheme === 'basic') return passwordOf(Buffer.from(rest, 'base64').toString('utf8'));
  return none;
}

/** `p=TOKEN`, as in InfluxDB 1. */
export function querySecrets(query: string): Secrets {
  const secret = new URLSearchParams(query).get('p');
  return secret === null ? none : [secret];
}

function partsOf(authorization = ''): { readonly scheme: string; readonly rest: string } {
  const mark = authorization.indexOf(' ');
  if (mark < 0) return { scheme: '', rest: '' };
  return {
    scheme: authorization.slice(0, mark).toLowerCase(),
    rest: authorization.slice(mark + 1).trim(),
  };
}

function passwordOf(pair: string): Secrets {
  const mark = pair.indexOf(':');
  return mark < 0 ? none : [pair.slice(mark + 1)];
}
