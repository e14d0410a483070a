/** The settings of backups by schedule; a part of the table in settings.ts. */

import { kDayMs, kSecondMs } from '../common/model/duration.js';

import type { SettingRow } from './setting-kind.js';

const kKeepMax = 999;

export const backupTable = {
  // Null: the server makes no backup by itself.
  'backup.to': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'Where the server writes backups by schedule: `s3://NAME/PREFIX`, or the absolute path of ' +
      'a directory; see bucket.md.',
  },
  'backup.every': {
    type: { kind: 'duration', min: kSecondMs, max: 365 * kDayMs },
    fallback: '1d',
    purpose:
      'Time from one backup to the next. The first one is made a minute after the start; a ' +
      'failed one is tried again after a tenth of it, but at least a minute.',
    isLive: true,
  },
  'backup.keep': {
    type: { kind: 'integer', min: 1, max: kKeepMax },
    fallback: 7,
    purpose: 'Backups on an object store that stay readable.',
    isLive: true,
  },
  // Null: the environment's, else Amazon's. The settings of `bucket` have no part in it.
  'backup.endpoint': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      '`https://HOST` of the object store of backups; else `AWS_ENDPOINT_URL_S3`, ' +
      '`AWS_ENDPOINT_URL`, or Amazon’s.',
  },
  'backup.region': {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Its region; else `AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`.',
  },
  // Null: true if there is an endpoint.
  'backup.path_style': {
    type: { kind: 'boolean' },
    fallback: null,
    purpose:
      'Whether the path names its bucket, instead of the host; without it: with an endpoint ' +
      'the path, else the host.',
  },
  'backup.ca': {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'File of the CA certificates in PEM that signed its certificate; else `AWS_CA_BUNDLE`.',
  },
  // Null: the environment's, else those of the profile.
  'backup.access_key_id': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose:
      'Keys of the object store of backups; else `AWS_ACCESS_KEY_ID` and ' +
      '`AWS_SECRET_ACCESS_KEY`, or the profile `AWS_PROFILE` of `~/.aws/credentials`. Each ' +
      'backup reads the profile again.',
    isLive: true,
  },
  'backup.secret_access_key': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Secret of `backup.access_key_id`.',
    isLive: true,
  },
  'backup.session_token': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Session token of keys that expire.',
    isLive: true,
  },
} as const satisfies Readonly<Record<string, SettingRow>>;
