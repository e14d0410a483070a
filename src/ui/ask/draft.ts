/** What is being written, in this tab's own storage: loading the page again does not lose it. */

interface Draft {
  /** The statement of the address, which it began from. */
  readonly of: string;
  readonly text: string;
}

const kStored = 'seriesdb draft';

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(kStored, JSON.stringify(draft));
  } catch {
    // Only until the page is loaded again.
  }
}

/** Null where there is none that began from this statement; an address without one takes any. */
export function draftOf(statement: string): string | null {
  try {
    const { of, text } = JSON.parse(sessionStorage.getItem(kStored) ?? '{}') as Partial<Draft>;
    const isItsOwn = of === statement || statement === '';
    return isItsOwn && typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
