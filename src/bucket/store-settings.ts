/** Which object store, and how it is reached. */

import { AppError } from '../common/errors/app-error.js';

import type { Environment } from '../common/model/user-folder.js';
import type { BucketPlace } from './bucket-place.js';
import type { Credentials } from './credentials.js';

export interface StoreAddress {
  /** Scheme, host and port of all requests. */
  readonly origin: string;
  /** Host and port, as requests name it. */
  readonly host: string;
  /** The host alone, without the brackets of an IPv6 address. */
  readonly hostName: string;
  /** The path of the bucket: `/BUCKET`, or empty if the host names it. */
  readonly bucketPath: string;
  readonly region: string;
}

export interface StoreSettings {
  readonly place: BucketPlace;
  readonly address: StoreAddress;
  readonly credentials: Credentials;
  /** Certificates in PEM to trust instead of those of Node.js. */
  readonly ca?: string;
}

export interface AskedStore {
  /** `https://HOST`; undefined: that of the environment, else Amazon's of the region. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Undefined: the bucket stands in the path where there is an endpoint, else in the host. */
  readonly isPathStyle: boolean | undefined;
}

const kRegion = 'us-east-1';

/** Reads the names that the tools of Amazon read, too. Throws `invalid_configuration`. */
export function storeAddress(
  { bucket }: BucketPlace,
  asked: AskedStore,
  environment: Environment,
): StoreAddress {
  const first = (...texts: readonly (string | undefined)[]): string | undefined =>
    texts.find((text) => text !== undefined && text !== '');
  const region =
    first(asked.region, environment['AWS_REGION'], environment['AWS_DEFAULT_REGION']) ?? kRegion;
  if (!/^[\w-]{1,64}$/.test(region)) {
    throw new AppError('invalid_configuration', `"${region}" is no region of an object store`);
  }
  const endpoint = first(
    asked.endpoint,
    environment['AWS_ENDPOINT_URL_S3'],
    environment['AWS_ENDPOINT_URL'],
  );
  const url = endpoint === undefined ? amazonUrl(region) : endpointUrl(endpoint);
  // No certificate is for a name with more dots.
  const isPathStyle = asked.isPathStyle ?? (endpoint !== undefined || bucket.includes('.'));
  if (!isPathStyle) nameBucket(url, bucket);
  return {
    origin: url.origin,
    host: url.host,
    hostName: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    bucketPath: isPathStyle ? `/${bucket}` : '',
    region,
  };
}

/** An address of numbers has no names below it. */
function nameBucket(url: URL, bucket: string): void {
  const host = `${bucket}.${url.hostname}`;
  url.hostname = host;
  if (url.hostname === host) return;
  throw new AppError(
    'invalid_configuration',
    `the host cannot name the bucket at ${url.host}: use --path-style`,
  );
}

function amazonUrl(region: string): URL {
  const end = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(`https://s3.${region}.${end}`);
}

function endpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search + url.hash + url.username + url.password === '';
  if (isPlain) return url;
  throw new AppError(
    'invalid_configuration',
    // What stands before an @ may be a secret.
    `"${text.replace(/[^/@]*@/, '')}" is no endpoint of an object store: write https://HOST or ` +
      'http://HOST:PORT',
  );
}
