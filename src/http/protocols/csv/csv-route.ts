/** What the routes of tables are given, and how they are declared. */

import { routesFor, type DeclareRoute } from '../../route/route.js';

import type { Operations } from '../../../operations/operations.js';

export interface CsvContext {
  readonly operations: Operations;
  /** Most bytes of a body of samples, after decompression. */
  readonly maxBodyBytes: number;
}

export const csvRoute: DeclareRoute<CsvContext> = routesFor();
