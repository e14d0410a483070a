/** Routes for the import of CSV tables. */

import { importCsv } from './import.js';

import type { Route } from '../../route/route.js';
import type { CsvContext } from './csv-route.js';

export const csvRoutes: readonly Route<CsvContext>[] = [importCsv];
