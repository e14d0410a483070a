/** The bucket that an engine owns; part of the contract. */

import type { Milliseconds } from '../../common/model/timestamp-unit.js';

/** native/shipping/bucket_options.h explains them. They are fixed while the engine is open. */
export interface NativeBucketOptions {
  /** Of NativeStore.share(). Its client must end after the engine. */
  readonly store: number;
  /** `s3://BUCKET/PREFIX`, for messages. */
  readonly url: string;
  /** 1 to 128 printable ASCII characters. */
  readonly node: string;
  /** Where the owner takes requests: at most 256 printable ASCII characters; '' = nowhere. */
  readonly address: string;
  /** What an acknowledgement waits for: the local disk alone, or the bucket, too. */
  readonly ack: 'local' | 'bucket';
  readonly groupMs: Milliseconds;
  readonly waitMs: Milliseconds;
  readonly publishMs: Milliseconds;
  /** 0 = no limit. */
  readonly lagMaxMs: Milliseconds;
}
