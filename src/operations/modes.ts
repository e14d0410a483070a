/**
 * In which mode each part of the database works, as `/status` says it. The one place that knows
 * which parts exist: there is no content-addressed metadata and no query compiler yet, so every
 * database works in the modes below, whatever else a configuration may wish for.
 */

export interface Modes {
  readonly cas_mode: 'off' | 'dual_write';
  readonly metadata_read_mode: 'legacy' | 'shadow' | 'primary';
  readonly query_compiler_mode: 'legacy' | 'shadow' | 'compiled';
}

export const builtModes: Modes = {
  cas_mode: 'off',
  metadata_read_mode: 'legacy',
  query_compiler_mode: 'legacy',
};
