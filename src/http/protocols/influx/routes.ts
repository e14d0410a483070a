/** All InfluxDB routes that clients use. */

import { ping, queryByForm, queryByUrl, settings } from './probes.js';
import { write, writeBucket } from './write.js';

import type { Route } from '../../route/route.js';
import type { InfluxContext } from './influx-route.js';

export const influxRoutes: readonly Route<InfluxContext>[] = [
  write,
  writeBucket,
  queryByUrl,
  queryByForm,
  ping,
  settings,
];
