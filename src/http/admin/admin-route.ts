/** The context of admin routes, and their declaration. */

import { querySchema, type QueryField } from '../fields/query-schema.js';
import { routesFor, type DeclareRoute } from '../route/route.js';

import type { SentStore } from '../../bucket/sent-store.js';
import type { InspectionRequest } from '../../operations/inspection.js';
import type { LinePieces, Maintained } from '../../operations/maintenance.js';
import type { ListedQuery } from '../../operations/slots/running-queries.js';
import type { OneUndelete } from '../../operations/undelete.js';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';

/** The operations for operators. */
export interface AdminContext extends Maintained {
  /** A JSON value. */
  readonly status: () => Promise<object>;
  /** The settings in force, with secrets hidden. */
  readonly config: () => object;
  /**
   * Resolves with the keys that need a restart. Rejects with `invalid_configuration` without any
   * change, or with `reload_unavailable`.
   */
  readonly reload: () => Promise<readonly string[]>;
  /** The unit of the database's timestamps. */
  readonly unit: TimestampUnit;
  readonly oneUndelete: OneUndelete;
  /** Reads every file completely. Gives one JSON line per finished file. */
  readonly verify: () => LinePieces;
  readonly listQueries: () => Promise<readonly ListedQuery[]>;
  /** False if no query of that number waits or runs. */
  readonly cancelQuery: (id: bigint) => Promise<boolean>;
  /**
   * The current contents of the files, one line each; native/maintenance/inspection.h defines the
   * lines.
   */
  readonly inspect: (inspected: InspectionRequest) => LinePieces;
}

/** Operations for who reaches the socket in the data directory, and nobody else. */
export interface OwnerContext extends AdminContext {
  /** The store's keys come with the request. */
  readonly openStoreBackup: (store: SentStore, keep: number) => LinePieces;
}

export const ownerRoute: DeclareRoute<OwnerContext> = routesFor();

export const adminRoute: DeclareRoute<AdminContext> = routesFor();

/** The query string of an admin route. Unknown parameters are refused. */
export function adminQuery<const F extends Readonly<Record<string, QueryField<unknown>>>>(
  fields: F,
): ReturnType<typeof querySchema<F>> {
  return querySchema(fields, { refusesUnknown: true });
}

export const noParameters = adminQuery({});
