/** The settings of a database on a bucket; a part of the table in settings.ts. */

import { kDayMs } from '../common/model/duration.js';

import type { SettingRow } from './setting-kind.js';

export const bucketTable = {
  // Null: the database is in its directory alone.
  'bucket.url': {
    type: { kind: 'text' },
    fallback: null,
    flag: '--bucket',
    purpose:
      'Bucket of the database, `s3://NAME/PREFIX`: the server claims it, and ships every write ' +
      'to it; see bucket.md.',
  },
  // Null: the environment's, else Amazon's.
  'bucket.endpoint': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      '`https://HOST` of the object store; else `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or ' +
      'Amazon’s.',
  },
  'bucket.region': {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Region of the bucket; else `AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`.',
  },
  // Null: true if there is an endpoint.
  'bucket.path_style': {
    type: { kind: 'boolean' },
    fallback: null,
    purpose:
      'Whether the path names the bucket, instead of the host; without it: with an endpoint ' +
      'the path, else the host.',
  },
  'bucket.ca': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'File of the CA certificates in PEM that signed the store’s certificate; else ' +
      '`AWS_CA_BUNDLE`.',
  },
  // Null: the environment's, else those of the profile.
  'bucket.access_key_id': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose:
      'Keys of the store; else `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or the profile ' +
      '`AWS_PROFILE` of `~/.aws/credentials`. A reload reads them all again.',
    isLive: true,
  },
  'bucket.secret_access_key': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Secret of `bucket.access_key_id`.',
    isLive: true,
  },
  'bucket.session_token': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Session token of keys that expire.',
    isLive: true,
  },
  'bucket.ack': {
    type: { kind: 'choice', choices: ['local', 'bucket'] },
    fallback: 'local',
    purpose:
      'What an answer to a write waits for: the disk of this machine (`local`), or the bucket, ' +
      'too (`bucket`), which requires `fsync = "always"`.',
  },
  // resolve.ts has the default of `ack = "bucket"`.
  'bucket.group_ms': {
    type: { kind: 'integer', min: 10, max: kDayMs },
    fallback: 1000,
    purpose:
      'Shortest time between two groups of the log, each of them a PUT; the default is 250 ' +
      'with `bucket.ack = "bucket"`.',
  },
  'bucket.wait_ms': {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 10_000,
    purpose:
      'Longest wait of a write for the bucket with `bucket.ack = "bucket"`; the answer is then ' +
      '503 `bucket_unavailable`.',
  },
  'bucket.publish_ms': {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 10_000,
    purpose:
      'Shortest time between two publications of a changed state, which upload new segments.',
  },
  'bucket.lag_max_ms': {
    type: { kind: 'integer', min: 0, max: kDayMs },
    fallback: 0,
    purpose:
      'Writes are refused while the oldest one that the bucket lacks is older than this; 0 ' +
      'means never.',
  },
  // Null: the host name.
  'bucket.node': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'Name of this server in the bucket, for people; at most 128 printable ASCII characters. ' +
      'The default is the host name.',
  },
  // Null: `listen`.
  'bucket.advertise': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'Address of this server in the bucket, for people; the default is `listen`, with the ' +
      'host name if it is every address.',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;
