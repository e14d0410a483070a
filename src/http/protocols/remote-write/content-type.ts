/** Detects the version of a remote_write request by its Content-Type. */

import { AppError } from '../../../common/errors/app-error.js';

const kMediaType = 'application/x-protobuf';
const kFirst = 'prometheus.WriteRequest';
const kSecond = 'io.prometheus.write.v2.Request';

type Version = 1 | 2;

/** Version 1.0 may omit the message name. Throws `unsupported_media_type` for other types. */
export function versionOf(contentType: string | undefined): Version {
  if (contentType === undefined || contentType === '') return 1;
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (mediaType.toLowerCase() !== kMediaType) {
    throw unsupported(`Content-Type must be ${kMediaType}`);
  }
  const proto = parameters.map(protoOf).find((name) => name !== null) ?? kFirst;
  if (proto === kFirst) return 1;
  if (proto === kSecond) return 2;
  throw unsupported(
    `this message type is not supported; send ${kMediaType};proto=${kFirst} or ${kSecond}`,
  );
}

function protoOf(parameter: string): string | null {
  const [name = '', value = ''] = parameter.split('=');
  if (name.trim().toLowerCase() !== 'proto') return null;
  return value.trim().replace(/^"(.*)"$/, '$1');
}

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message);
}
