/** `seriesdb bucket probe`: prints each finding when it is known. */

import { parseBucketUrl } from '../../bucket/bucket-place.js';
import { findCredentials } from '../../bucket/credentials.js';
import { openStore } from '../../bucket/open-store.js';
import { probe } from '../../bucket/probe.js';
import { storeAddress, type AskedStore, type StoreSettings } from '../../bucket/store-settings.js';
import { AppError } from '../../common/errors/app-error.js';
import { UsageFailure } from '../session/failure.js';
import { certificateIn } from '../session/server-address.js';
import { writeFinding } from './write-finding.js';

import type { Terminal } from '../session/terminal.js';

interface ProbeOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly url: string;
  readonly asked: AskedStore;
  /** A file. */
  readonly ca: string | undefined;
  readonly isJson: boolean;
}

/** False if the store is not fit, or was not reached. */
export async function probeBucket(options: ProbeOptions): Promise<boolean> {
  const { terminal, signal, isJson } = options;
  const settings = settingsOf(options);
  const store = await openStore(settings);
  let isFit = true;
  try {
    for await (const { test, ...finding } of probe(store, signal)) {
      isFit &&= finding.verdict !== 'failed';
      writeFinding(terminal, { test, ...finding }, isJson);
    }
  } finally {
    await store.close();
  }
  return isFit;
}

function settingsOf({ terminal, url, asked, ca }: ProbeOptions): StoreSettings {
  const { environment } = terminal;
  try {
    const place = parseBucketUrl(url);
    const address = storeAddress(place, asked, environment);
    const { credentials } = findCredentials(environment);
    const file = ca ?? environment['AWS_CA_BUNDLE'];
    const trust = file === undefined || file === '' ? {} : { ca: certificateIn(file) };
    return { place, address, credentials, ...trust };
  } catch (error) {
    if (error instanceof AppError) throw new UsageFailure(error.message);
    throw error;
  }
}
