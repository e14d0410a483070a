/** `seriesdb bucket probe`: whether an object store is fit for a database. */

import type { Command } from 'commander';

import { exitCodes } from '../session/failure.js';
import { runCommand } from '../session/run-command.js';

import type { Session } from '../session/command.js';

interface ProbeFlags {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: boolean;
  readonly ca?: string;
  readonly json?: boolean;
}

export function addBucket(program: Command, { terminal, ended }: Session): void {
  const group = program
    .command('bucket')
    .description('test object stores: Amazon S3, Ceph and others with its interface')
    .exitOverride();
  group
    .command('probe')
    .description('test whether an object store keeps what a database on it needs')
    .argument('<url>', 's3://BUCKET/PREFIX; the keys of the test begin with PREFIX/nodes/probe-')
    .option('--endpoint <url>', 'https://HOST of a store; else AWS_ENDPOINT_URL, or Amazon’s')
    .option('--region <name>', 'its region; else AWS_REGION, or us-east-1')
    .option('--path-style', 'the path names the bucket; without --endpoint the host does')
    .option('--no-path-style', 'the host names the bucket')
    .option('--ca <file>', 'CA certificate (PEM) that signed the store’s certificate')
    .option('--json', 'print one JSON object per line as each test is done')
    .addHelpText(
      'after',
      '\nKeys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile AWS_PROFILE of' +
        '\n~/.aws/credentials. They need to read, list, write and delete below PREFIX.' +
        '\nThe test writes some twenty small objects, and removes them.' +
        '\nExit codes: 0 fit, perhaps with warnings, 1 not fit or not reached, 2 wrong usage,' +
        '\n130 interrupted.',
    )
    .exitOverride()
    .action(async (url: string, flags: ProbeFlags) => {
      const code = await runCommand(terminal, async (signal) => {
        const { probeBucket } = await import('../maintenance/probe-bucket.js');
        const { endpoint, region, pathStyle: isPathStyle, ca, json: isJson = false } = flags;
        const asked = { endpoint, region, isPathStyle };
        const isFit = await probeBucket({ terminal, signal, url, asked, ca, isJson });
        return isFit ? exitCodes.ok : exitCodes.failed;
      });
      ended(code);
    });
}
