/** A real server whose database is on a bucket of an object store of the tests. */
import { bucketName, keys } from './object-store.js';
import { runCommand, serveArguments, startServer, type Exit, type Server } from './server.js';

import type { ObjectStore } from './object-store.js';

export interface BucketServerOptions {
  readonly dataDir: string;
  readonly store: ObjectStore;
  /** The prefix of the database in the bucket; `db` if left out. */
  readonly prefix?: string;
  /** Further flags, such as `--bucket-ack bucket`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The keys of the store, as users give them, and nothing else of the machine's own. */
const environment = {
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  ...{ AWS_PROFILE: '', AWS_SESSION_TOKEN: '', AWS_REGION: '', AWS_DEFAULT_REGION: '' },
  ...{ AWS_ENDPOINT_URL: '', AWS_ENDPOINT_URL_S3: '', AWS_CA_BUNDLE: '' },
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
};

export const bucketUrl = (prefix = 'db'): string => `s3://${bucketName}/${prefix}`;

function serverOptions({ dataDir, store, prefix, args = [], env = {} }: BucketServerOptions) {
  const bucket = ['--bucket', bucketUrl(prefix), '--bucket-endpoint', store.url];
  return { dataDir, args: [...bucket, ...args], env: { ...environment, ...env } };
}

/** Waits until it listens. Rejects with its output if it ends before. */
export function startBucketServer(options: BucketServerOptions): Promise<Server> {
  return startServer(serverOptions(options));
}

/** A start that is refused: what the process says, and its exit code. */
export function refusedStart(options: BucketServerOptions): Promise<Exit> {
  const whole = serverOptions(options);
  return runCommand(serveArguments(whole), whole.env);
}
