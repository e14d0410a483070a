/** Certificate and key from their files, checked before a listener uses them. */

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

import { AppError } from '../../common/errors/app-error.js';
import { thrownMessage } from '../../common/errors/thrown-message.js';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Throws `invalid_configuration` with the file's name, also if certificate and key do not match.
 */
export function loadTlsFiles(certFile: string, keyFile: string): TlsFiles {
  const cert = read('tls_cert', certFile);
  const key = read('tls_key', keyFile);
  try {
    createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  } catch (cause) {
    const reason = thrownMessage(cause);
    const message = `tls_cert ${certFile} and tls_key ${keyFile} cannot be used: ${reason}`;
    throw new AppError('invalid_configuration', message, { cause });
  }
  return { certFile, keyFile, cert, key };
}

function read(key: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason = thrownMessage(cause);
    throw new AppError('invalid_configuration', `cannot read ${key}: ${reason}`, { cause });
  }
}
