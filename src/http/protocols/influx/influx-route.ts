/** What the routes of InfluxDB are given, and how they are declared. */

import { routesFor, type DeclareRoute } from '../../route/route.js';

import type { LineProtocolNames } from '../../../operations/ingest.js';
import type { Operations } from '../../../operations/operations.js';

export interface InfluxContext {
  readonly operations: Operations;
  /** Most bytes of a body of samples, after decompression. */
  readonly maxBodyBytes: number;
  readonly influx: LineProtocolNames;
}

export const influxRoute: DeclareRoute<InfluxContext> = routesFor();
