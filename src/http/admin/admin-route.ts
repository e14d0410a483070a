/** What the routes of the admin listener are given, and how they are declared. */

import { querySchema, type QueryField } from '../fields/query-schema.js';
import { routesFor, type DeclareRoute } from '../route/route.js';

import type { InspectionRequest } from '../../operations/inspection.js';
import type { LinePieces, Maintained } from '../../operations/maintenance.js';
import type { ListedQuery } from '../../operations/places/running-queries.js';
import type { OneUndelete } from '../../operations/undelete.js';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';

/** What the composition offers to operators. */
export interface AdminContext extends Maintained {
  /** A JSON value. */
  readonly status: () => Promise<object>;
  /** The settings in force; secrets are hidden already. */
  readonly config: () => object;
  /**
   * Resolves with the keys that wait for a restart. Rejects with `invalid_configuration`, having
   * changed nothing, and `reload_unavailable`.
   */
  readonly reload: () => Promise<readonly string[]>;
  /** Of the database's timestamps. */
  readonly unit: TimestampUnit;
  readonly oneUndelete: OneUndelete;
  /** Reads every file completely; lines of JSON, one for each file as it is done. */
  readonly verify: () => LinePieces;
  readonly listQueries: () => Promise<readonly ListedQuery[]>;
  /** False where none of that number waits or runs. */
  readonly cancelQuery: (id: bigint) => Promise<boolean>;
  /** What its files say now, a line each; native/maintenance/inspection.h has them. */
  readonly inspect: (inspected: InspectionRequest) => LinePieces;
}

export const adminRoute: DeclareRoute<AdminContext> = routesFor();

/** The query string of an admin route: a wish that is misspelt is refused, never passed over. */
export function adminQuery<const F extends Readonly<Record<string, QueryField<unknown>>>>(
  fields: F,
): ReturnType<typeof querySchema<F>> {
  return querySchema(fields, { refusesUnknown: true });
}

export const noParameters = adminQuery({});
