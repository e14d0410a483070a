/** The object store of a command: its flags, and what the environment says of it. */

import { parseBucketUrl } from '../../bucket/bucket-place.js';
import { findCredentials } from '../../bucket/credentials.js';
import { storeAddress, type StoreSettings } from '../../bucket/store-settings.js';
import { AppError } from '../../common/errors/app-error.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { UsageFailure } from '../session/failure.js';
import { certificateIn } from '../session/server-address.js';

import type { Terminal } from '../session/terminal.js';

/** Throws UsageFailure, and CommandFailure if the certificate cannot be read. */
export function askedStore(
  url: string,
  flags: Flags,
  { environment }: Pick<Terminal, 'environment'>,
): StoreSettings {
  const { pathStyle } = flags;
  const asked = {
    endpoint: textFlag(flags, 'endpoint'),
    region: textFlag(flags, 'region'),
    isPathStyle: typeof pathStyle === 'boolean' ? pathStyle : undefined,
  };
  try {
    const place = parseBucketUrl(url);
    const address = storeAddress(place, asked, environment);
    const credentials = findCredentials(environment);
    const file = textFlag(flags, 'storeCa') ?? environment['AWS_CA_BUNDLE'];
    const trust = file === undefined || file === '' ? {} : { ca: certificateIn(file) };
    return { place, address, credentials, ...trust };
  } catch (error) {
    if (error instanceof AppError) throw new UsageFailure(error.message);
    throw error;
  }
}
