/**
 * Where a secret stands in a request. Clients of other databases show theirs in the ways of those;
 * whichever way it comes, it is the same token.
 */

/** What may be meant, of which at most one is. */
type Secrets = readonly string[];

const none: Secrets = [];

/** `Bearer TOKEN`. */
export function bearerSecrets(authorization: string | undefined): Secrets {
  const { scheme, rest } = partsOf(authorization);
  return scheme === 'bearer' ? [rest] : none;
}

/**
 * `Bearer TOKEN`; `Token TOKEN` and `Token USER:TOKEN` of InfluxDB; `Basic` with the token as the
 * password of any user.
 */
export function headerSecrets(authorization: string | undefined): Secrets {
  const { scheme, rest } = partsOf(authorization);
  if (scheme === 'bearer') return [rest];
  // A token may have a colon of its own.
  if (scheme === 'token') return [rest, ...passwordOf(rest)];
  if (scheme === 'basic') return passwordOf(Buffer.from(rest, 'base64').toString('utf8'));
  return none;
}

/** `p=TOKEN`, as InfluxDB 1 takes it. */
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
