/** What one test of a machine or of an object store found. */

/** `warning` is no failure, but explains slow or surprising behaviour. */
type Verdict = 'ok' | 'warning' | 'failed';

export interface TestFinding {
  readonly verdict: Verdict;
  /** For people. */
  readonly text: string;
  /** For programs; the unit ends the name. */
  readonly figures?: Readonly<Record<string, number | string>>;
}

export interface NamedFinding extends TestFinding {
  readonly test: string;
}

/** The finding with the warnings behind its text; `ok` without warnings. */
export function withWarnings(
  text: string,
  warnings: readonly string[],
  figures: NonNullable<TestFinding['figures']>,
): TestFinding {
  const verdict = warnings.length === 0 ? 'ok' : 'warning';
  return { verdict, text: [text, ...warnings].join('; '), figures };
}
