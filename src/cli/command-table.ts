// Made from the files in commands/ by scripts/command-table.mjs; only the order is yours.

import { addAnnotate } from './commands/annotate.js';
import { addBackup } from './commands/backup.js';
import { addCompact } from './commands/compact.js';
import { addCompare } from './commands/compare.js';
import { addCompletion } from './commands/completion.js';
import { addConfig } from './commands/config.js';
import { addExport } from './commands/export.js';
import { addFind } from './commands/find.js';
import { addGc } from './commands/gc.js';
import { addHealth } from './commands/health.js';
import { addImport } from './commands/import.js';
import { addIngest } from './commands/ingest.js';
import { addInspect } from './commands/inspect.js';
import { addMigrate } from './commands/migrate.js';
import { addQueries } from './commands/queries.js';
import { addQuery } from './commands/query.js';
import { addRepair } from './commands/repair.js';
import { addRestore } from './commands/restore.js';
import { addServe } from './commands/serve.js';
import { addSnapshot } from './commands/snapshot.js';
import { addStatus } from './commands/status.js';
import { addToken } from './commands/token.js';
import { addUndelete } from './commands/undelete.js';
import { addVerify } from './commands/verify.js';

import type { AddCommand } from './session/command.js';

/** In the order of the help. */
export const commands: readonly AddCommand[] = [
  addServe,
  addConfig,
  addQuery,
  addFind,
  addHealth,
  addCompare,
  addAnnotate,
  addStatus,
  addIngest,
  addImport,
  addExport,
  addInspect,
  addVerify,
  addCompact,
  addMigrate,
  addGc,
  addSnapshot,
  addBackup,
  addRestore,
  addUndelete,
  addRepair,
  addCompletion,
  addQueries,
  addToken,
];
