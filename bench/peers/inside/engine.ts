/** A database that lives in the process that asks it. */

export interface Session {
  /** What is asked, and the answer as JSON of `meta` and `data`. */
  readonly query: (text: string) => Promise<string>;
  /** Stores what its own form of a body brings. */
  readonly insert: (body: Buffer) => Promise<void>;
}

export interface Engine {
  readonly settle: () => Promise<void>;
  /** For one connection. */
  readonly session: () => Promise<Session>;
  readonly close: () => void;
}
