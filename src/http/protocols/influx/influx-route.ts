/** The context of InfluxDB routes, and their declaration. */

import { routesFor, type DeclareRoute } from '../../route/route.js';

import type { LineProtocolNames } from '../../../operations/ingest.js';
import type { Operations } from '../../../operations/operations.js';

export interface InfluxContext {
  readonly operations: Operations;
  /** The largest body of samples after decompression, in bytes. */
  readonly maxBodyBytes: number;
  readonly influx: LineProtocolNames;
}

export const influxRoute: DeclareRoute<InfluxContext> = routesFor();
