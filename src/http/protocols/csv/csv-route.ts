/** The context of CSV routes, and their declaration. */

import { routesFor, type DeclareRoute } from '../../route/route.js';

import type { Operations } from '../../../operations/operations.js';

export interface CsvContext {
  readonly operations: Operations;
  /** The largest body of samples after decompression, in bytes. */
  readonly maxBodyBytes: number;
}

export const csvRoute: DeclareRoute<CsvContext> = routesFor();
