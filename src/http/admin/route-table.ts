/** Every route of the admin listener. It has no route in common with the public listener. */

import { buildTable, type RouteTable } from '../route/build-table.js';

import { collect, compact, flush, migrate, repair, verify } from './routes/maintenance.js';
import { inspect } from './routes/inspect.js';
import { cancelQuery, listQueries } from './routes/queries.js';
import { config, reload, status } from './routes/settings.js';
import {
  backup,
  createSnapshot,
  deleteSnapshot,
  listSnapshots,
  undelete,
} from './routes/snapshots.js';
import { storeBackup } from './routes/store-backup.js';

import type { AdminContext, OwnerContext } from './admin-route.js';

export const adminRoutes: RouteTable<AdminContext> = buildTable<AdminContext>(
  [
    ...[status, config, reload, listQueries, cancelQuery],
    ...[flush, compact, migrate, collect, verify, inspect, repair],
    ...[createSnapshot, listSnapshots, backup, undelete, deleteSnapshot],
  ],
  { elsewhere: 'guarded' },
);

/** The routes under `/__admin/` of the socket in the data directory. */
export const ownerRoutes: RouteTable<OwnerContext> = buildTable<OwnerContext>(
  [...adminRoutes.routes, storeBackup],
  { elsewhere: 'guarded' },
);
