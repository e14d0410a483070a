/** OTLP is protobuf or the same messages in JSON. Answers have the format of the request. */

import { AppError } from '../../../common/errors/app-error.js';

export const kProtobuf = 'application/x-protobuf';
export const kJson = 'application/json';

/** Null for any other media type. */
export function mediaTypeOf(contentType = ''): typeof kProtobuf | typeof kJson | null {
  const [name = ''] = contentType.split(';');
  const mediaType = name.trim().toLowerCase();
  return mediaType === kProtobuf || mediaType === kJson ? mediaType : null;
}

/** Without a Content-Type the request is protobuf. Throws `unsupported_media_type`. */
export function takenMediaType(contentType: string | undefined): typeof kProtobuf | typeof kJson {
  const mediaType = (contentType ?? '') === '' ? kProtobuf : mediaTypeOf(contentType);
  if (mediaType !== null) return mediaType;
  throw new AppError('unsupported_media_type', `Content-Type must be ${kProtobuf} or ${kJson}`);
}
