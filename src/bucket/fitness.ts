/** Whether a store is fit for a database, as one sentence. */

import { probe, type ProbedStore } from './probe.js';

interface Unfit {
  readonly text: string;
  /** The store was not heard; it may be fit. */
  readonly isUnheard: boolean;
}

/** Null if the store keeps what a database stands on. Rejects only if `signal` is aborted. */
export async function unfitness(store: ProbedStore, signal: AbortSignal): Promise<Unfit | null> {
  for await (const { test, verdict, text, isUnheard = false } of probe(store, signal)) {
    if (verdict === 'failed') return { text: `${text} (${test})`, isUnheard };
  }
  return null;
}
