/** The modes of the database's parts, as in `/status`. */
export interface Modes {
  readonly cas_mode: 'off' | 'dual_write';
  readonly metadata_read_mode: 'legacy' | 'shadow' | 'primary';
  readonly query_compiler_mode: 'legacy' | 'shadow' | 'compiled';
}
