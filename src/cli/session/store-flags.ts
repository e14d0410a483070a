/** The flags of commands that reach an object store. */

import { InvalidArgumentError, type Command } from 'commander';

import { parseU64 } from '../../common/model/integers.js';
import { UsageFailure } from './failure.js';

import type { Flags } from './client-context.js';

/** What the help of a command says of keys. */
export const storeKeysHelp =
  '\nKeys of a bucket: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile AWS_PROFILE of' +
  '\n~/.aws/credentials.';

export function addStoreFlags(command: Command): Command {
  return command
    .option(
      '--endpoint <url>',
      'https://HOST of an object store; else AWS_ENDPOINT_URL, or Amazon’s',
    )
    .option('--region <name>', 'its region; else AWS_REGION, or us-east-1')
    .option('--path-style', 'the path names the bucket; without --endpoint the host does')
    .option('--no-path-style', 'the host names the bucket')
    .option('--store-ca <file>', 'CA certificate (PEM) that signed the store’s certificate');
}

/** Chooses a backup on an object store. */
export function addEntryFlag(command: Command): Command {
  return command.option(
    '--entry <number>',
    'on an object store: this backup, not the last',
    (text) => {
      const number = parseU64(text);
      if (number !== null && number > 0n) return number;
      throw new InvalidArgumentError('It must be the number of an entry.');
    },
  );
}

export const isBucketUrl = (text: string): boolean => text.startsWith('s3:');

interface FlaggedContext {
  readonly flags: Flags;
}

/** Refuses flags that only a backup on an object store has. */
export function refuseBucketFlags({ flags }: FlaggedContext): void {
  const given = ['entry', 'keep'].find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw new UsageFailure(`--${given} is for backups on an object store, s3://BUCKET/PREFIX`);
}

/** The backup that --entry names; null: the last one. */
export function entryFlag({ flags }: FlaggedContext): bigint | null {
  const { entry } = flags;
  return typeof entry === 'bigint' ? entry : null;
}
