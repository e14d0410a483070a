/** Which message a request of remote_write brings, by its Content-Type. */

import { AppError } from '../../errors/app-error.js';

const kMediaType = 'application/x-protobuf';
const kFirst = 'prometheus.WriteRequest';
const kSecond = 'io.prometheus.write.v2.Request';

/** Throws `unsupported_media_type` for all but version 1.0, which may also go without a name. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType === undefined || contentType === '') return;
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (mediaType.toLowerCase() !== kMediaType) {
    throw unsupported(`Content-Type must be ${kMediaType}`);
  }
  const proto = parameters.map(protoOf).find((name) => name !== null) ?? kFirst;
  if (proto === kFirst) return;
  const what = proto === kSecond ? 'version 2.0 of remote_write is' : 'this message is';
  throw unsupported(`${what} not taken; send ${kMediaType};proto=${kFirst}`);
}

function protoOf(parameter: string): string | null {
  const [name = '', value = ''] = parameter.split('=');
  if (name.trim().toLowerCase() !== 'proto') return null;
  return value.trim().replace(/^"(.*)"$/, '$1');
}

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message);
}
