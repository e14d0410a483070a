/** The bucket of the database, for `/status` and `/metrics`. */

import { bucketMetrics } from './metric-names.js';

/** Facts of a server whose database is on a bucket. */
export interface BucketFacts {
  /** `s3://BUCKET/PREFIX`. */
  readonly url: string;
  /** The name of this server in the bucket. */
  readonly node: string;
  readonly ack: 'local' | 'bucket';
  /** Requests to the store since the start. */
  readonly requests: () => readonly {
    readonly op: string;
    readonly outcome: string;
    readonly count: number;
  }[];
  /** Bytes of the bodies of these requests and their answers. */
  readonly bytes: () => readonly { readonly op: string; readonly bytes: number }[];
  /** Why no request can be sent; null while they can. */
  readonly failure: () => string | null;
}

export interface BucketStatus {
  readonly url: string;
  readonly role: 'owner';
  readonly node: string;
  readonly ack: BucketFacts['ack'];
  readonly epoch: number;
  readonly entry: number;
  readonly lag_seconds: number;
  readonly unshipped_bytes: number;
  readonly published_age_seconds: number;
  /** Another server owns the database. */
  readonly fenced: boolean;
  /** Why the bucket lags or is not reached; absent if nothing is wrong. */
  readonly failure?: string;
}

type EngineCounts = Readonly<Record<string, number>>;
type BucketMetric = keyof typeof bucketMetrics;

/** The metrics that the engine's figures have: all with a bucket, else none. */
export function bucketFigures(stats: EngineCounts): EngineCounts {
  return Object.fromEntries(Object.entries(stats).filter(([name]) => name in bucketMetrics));
}

/** What the engine says of itself. */
interface EngineFacts {
  stats(): EngineCounts;
  degradedReasons(): readonly string[];
  /** One word for each reason. */
  degradedKinds(): readonly string[];
}

export function bucketStatus(facts: BucketFacts, engine: EngineFacts): BucketStatus {
  const measured = bucketFigures(engine.stats());
  const of = (name: BucketMetric): number => measured[name] ?? 0;
  const failure = facts.failure() ?? bucketFault(engine);
  return {
    ...{ url: facts.url, role: 'owner', node: facts.node, ack: facts.ack },
    epoch: of('bucket_epoch'),
    entry: of('bucket_entry'),
    lag_seconds: of('bucket_lag_seconds'),
    unshipped_bytes: of('bucket_unshipped_bytes'),
    published_age_seconds: of('bucket_published_age_seconds'),
    fenced: of('bucket_fenced') === 1,
    ...(failure === null ? {} : { failure }),
  };
}

/** The kind of a reason that names the bucket. */
export const kBucketKind = 'bucket';

function bucketFault(engine: EngineFacts): string | null {
  const at = engine.degradedKinds().indexOf(kBucketKind);
  return engine.degradedReasons()[at] ?? null;
}
