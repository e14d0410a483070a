// Made from the files in commands/ by scripts/command-table.mjs; only the order is yours.

import type { AddCommand } from './session/command.js';

/** By their names, in the order of the help. */
export const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./commands/serve.js')).addServe,
  config: async () => (await import('./commands/config.js')).addConfig,
  query: async () => (await import('./commands/query.js')).addQuery,
  find: async () => (await import('./commands/find.js')).addFind,
  health: async () => (await import('./commands/health.js')).addHealth,
  compare: async () => (await import('./commands/compare.js')).addCompare,
  annotate: async () => (await import('./commands/annotate.js')).addAnnotate,
  status: async () => (await import('./commands/status.js')).addStatus,
  ingest: async () => (await import('./commands/ingest.js')).addIngest,
  import: async () => (await import('./commands/import.js')).addImport,
  export: async () => (await import('./commands/export.js')).addExport,
  inspect: async () => (await import('./commands/inspect.js')).addInspect,
  verify: async () => (await import('./commands/verify.js')).addVerify,
  compact: async () => (await import('./commands/compact.js')).addCompact,
  migrate: async () => (await import('./commands/migrate.js')).addMigrate,
  gc: async () => (await import('./commands/gc.js')).addGc,
  snapshot: async () => (await import('./commands/snapshot.js')).addSnapshot,
  backup: async () => (await import('./commands/backup.js')).addBackup,
  restore: async () => (await import('./commands/restore.js')).addRestore,
  undelete: async () => (await import('./commands/undelete.js')).addUndelete,
  repair: async () => (await import('./commands/repair.js')).addRepair,
  completion: async () => (await import('./commands/completion.js')).addCompletion,
  queries: async () => (await import('./commands/queries.js')).addQueries,
  token: async () => (await import('./commands/token.js')).addToken,
};
