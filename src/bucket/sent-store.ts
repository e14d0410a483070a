/**
 * A store as a command names it to a server, keys included. It goes over the socket in the data
 * directory and nowhere else.
 */

import { bucketUrlOf, parseBucketUrl } from './bucket-place.js';
import { storeAddress, type StoreSettings } from './store-settings.js';

/** Members of JSON. The environment of the server has no part in it. */
export interface SentStore {
  /** `s3://BUCKET/PREFIX`. */
  readonly url: string;
  readonly endpoint: string;
  readonly region: string;
  /** Where the bucket is named. */
  readonly style: SentStyle;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
  /** Certificates in PEM. */
  readonly ca?: string | undefined;
}

export const sentStyles = ['path', 'host'] as const;
type SentStyle = (typeof sentStyles)[number];

export function sentStore({ place, address, credentials, ca }: StoreSettings): SentStore {
  const isPathStyle = address.bucketPath !== '';
  const endpoint = new URL(address.origin);
  // storeAddress() put the bucket before the host, and does so again.
  if (!isPathStyle) endpoint.hostname = address.hostName.slice(place.bucket.length + 1);
  return {
    url: bucketUrlOf(place),
    endpoint: endpoint.origin,
    region: address.region,
    style: isPathStyle ? 'path' : 'host',
    access_key_id: credentials.accessKeyId,
    secret_access_key: credentials.secretAccessKey,
    session_token: credentials.sessionToken,
    ca,
  };
}

/** Throws `invalid_configuration`; messages never quote a key. */
export function receivedStore(sent: SentStore): StoreSettings {
  const { url, endpoint, region, style, session_token: sessionToken, ca } = sent;
  const place = parseBucketUrl(url);
  const isPathStyle = style === 'path';
  const keys = { accessKeyId: sent.access_key_id, secretAccessKey: sent.secret_access_key };
  return {
    place,
    address: storeAddress(place, { endpoint, region, isPathStyle }, {}),
    credentials: { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...(ca === undefined ? {} : { ca }),
  };
}
