/**
 * A backup to an object store. The request has the keys of the store, so only the socket in the
 * data directory has this route; no listener of the network does.
 */

import { sentStyles, type SentStore } from '../../../bucket/sent-store.js';
import { AppError } from '../../../common/errors/app-error.js';
import { field, required, type BodySchema, type Field } from '../../fields/body-schema.js';
import { jsonBody } from '../../route/route-body.js';

import { noParameters, ownerRoute } from '../admin-route.js';
import { exampleLines, linesAnswer, linesReply } from '../lines-reply.js';

import type { JsonObject } from '../../fields/json-body.js';

interface StoreOrder {
  readonly store: SentStore;
  /** So many backups stay readable. */
  readonly keep: number;
}

const fields = {
  url: required(field.text('`s3://BUCKET/PREFIX`.')),
  endpoint: required(field.text('`https://HOST` of the store.')),
  region: required(field.text('The region of the bucket.')),
  style: required(field.choice(sentStyles, 'Where the bucket is named.')),
  access_key_id: required(field.text('The key of the store.')),
  secret_access_key: required(field.text('Its secret.')),
  session_token: field.text('The session token of keys that expire.'),
  ca: field.text('CA certificates in PEM.'),
  keep: required(field.limit('So many backups stay readable.')),
};

/** All faults have one code: a command of ours writes the body. */
const kCode = 'invalid_configuration';

const storeOrder: BodySchema<StoreOrder> = {
  fields: Object.entries(fields),
  errors: [kCode],
  read: (object) => {
    const text = (key: TextKey): string => needed(object, key, fields[key]);
    const keep = needed(object, 'keep', fields.keep);
    if (keep < 1) throw new AppError(kCode, 'keep must be at least 1');
    return {
      store: {
        ...{ url: text('url'), endpoint: text('endpoint'), region: text('region') },
        style: needed(object, 'style', fields.style),
        ...{ access_key_id: text('access_key_id'), secret_access_key: text('secret_access_key') },
        session_token: fields.session_token.read(object, 'session_token', kCode),
        ca: fields.ca.read(object, 'ca', kCode),
      },
      keep,
    };
  },
};

type TextKey = 'url' | 'endpoint' | 'region' | 'access_key_id' | 'secret_access_key';

function needed<T>(object: JsonObject, key: string, one: Field<T>): T {
  const value = one.read(object, key, kCode);
  if (value === undefined || value === '') throw new AppError(kCode, `${key} is required`);
  return value;
}

export const storeBackup = ownerRoute({
  scope: 'admin',
  tag: 'operate',
  method: 'POST',
  path: '/__admin/backup/store',
  summary: 'Backs the database up to an object store.',
  query: noParameters,
  body: jsonBody(storeOrder, { refusesUnknown: true }),
  answer: linesAnswer('One line per file; the last line has the result.'),
  errors: ['bucket_unavailable', 'locked', 'closed'],
  example: {
    body: { url: 's3://metrics/production', keep: 7 },
    answer: exampleLines({ kind: 'flush' }, { kind: 'end', status: 'ok', entry: 1 }),
    isSketch: true,
  },
  handler: ({ body: { store, keep }, request }, context) =>
    linesReply(request, context.openStoreBackup(store, keep)),
});
