/** Where a database stands on an object store: `s3://BUCKET/PREFIX`. */

import { AppError } from '../common/errors/app-error.js';

export interface BucketPlace {
  readonly bucket: string;
  /** All keys of the database begin with it. It ends in a slash; empty: the whole bucket. */
  readonly prefix: string;
}

/** As parseBucketUrl() reads it, without a slash at its end. */
export const bucketUrlOf = ({ bucket, prefix }: BucketPlace): string =>
  `s3://${bucket}/${prefix}`.replace(/\/$/, '');

/** The rules of Amazon, which all stores accept. */
const bucketName = /^(?=.{3,63}$)[a-z0-9][a-z0-9.-]*[a-z0-9]$/;
/** What Amazon calls safe in a key, so that no proxy on the way rewrites it. */
const prefixPart = /^(?!\.{1,2}$)[\w!.*'()=-]+$/;
/** A key has 1,024 bytes at most; ours need some 100 of them. */
const kPrefixMostBytes = 512;

/** Throws `invalid_configuration`. */
export function parseBucketUrl(text: string): BucketPlace {
  const refuse = (why: string): never => {
    throw new AppError('invalid_configuration', `"${text}" is no place on an object store: ${why}`);
  };
  const parts = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(text);
  if (parts === null) return refuse('write s3://BUCKET/PREFIX');
  const [, bucket = '', rest = ''] = parts;
  if (!bucketName.test(bucket)) {
    return refuse('a bucket has 3 to 63 small letters, digits, dots and hyphens');
  }
  const prefix = rest.replace(/\/$/, '');
  if (prefix === '') return { bucket, prefix: '' };
  if (prefix.length > kPrefixMostBytes) {
    return refuse(`a prefix has ${String(kPrefixMostBytes)} characters at most`);
  }
  if (!prefix.split('/').every((part) => prefixPart.test(part))) {
    return refuse("parts of a prefix have letters, digits and !-_.*'()= only");
  }
  return { bucket, prefix: `${prefix}/` };
}
