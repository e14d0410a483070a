/** A database that lives in the querying process. */

export interface Session {
  /** Runs a query. The answer is JSON of `meta` and `data`. */
  readonly query: (text: string) => Promise<string>;
  /** Stores a body in the database's own format. */
  readonly insert: (body: Buffer) => Promise<void>;
}

export interface Engine {
  readonly settle: () => Promise<void>;
  /** A session for one connection. */
  readonly session: () => Promise<Session>;
  readonly close: () => void;
}
