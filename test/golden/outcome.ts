/** What opening a golden directory must come to; `expected.json` in each holds one. */

/** A sentence, by parts of it. */
type Sentence = readonly string[];
export type Point = readonly [ts: number, value: number | null];

export interface Refused {
  readonly opens: false;
  readonly code: string;
  readonly says: Sentence;
}

export interface Opened {
  readonly opens: true;
  /** What is read begins here; null reads all. */
  readonly from: number | null;
  /** The sentence of `storage_corrupt` with which a read of any metric from before is refused. */
  readonly lost?: Sentence;
  /** By metric; or the sentence of `storage_corrupt` with which reading it is refused. */
  readonly samples: Readonly<Record<string, readonly Point[] | { readonly says: Sentence }>>;
  /** By metric; from format 3 on, whose segments keep what a plain sum rounds away. */
  readonly sums?: Readonly<Record<string, number>>;
  /** By metric, what is stored and no finite number, stale markers too: its bits in hexadecimal. */
  readonly bits?: Readonly<Record<string, readonly (readonly [ts: number, bits: string])[]>>;
  /** What SeriesQL says to a statement, as NDJSON. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly annotations: number;
  /** The title of each by its id, where it matters which they are. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Of the state, before anything is read. */
  readonly reasons: readonly Sentence[];
}

export type Outcome = Refused | Opened;

/** From format 9 on there are commits, from which a directory may be opened, too. */
export interface Outcomes {
  /** From MANIFEST. */
  readonly legacy: Outcome;
  /** From the head commit. */
  readonly primary: Outcome;
}
