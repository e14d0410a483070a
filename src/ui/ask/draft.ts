/** What is being written, in this tab's own storage: loading the page again does not lose it. */

interface Draft {
  /** The statement of the address, which it began from. */
  readonly of: string;
  readonly text: string;
}

/** One for each language. */
export interface Drafts {
  readonly keep: (draft: Draft) => void;
  /** Null where there is none that began from this; an address without a statement takes any. */
  readonly find: (statement: string) => string | null;
}

export const seriesqlDrafts = draftsAt('seriesdb draft');
export const promqlDrafts = draftsAt('seriesdb draft promql');

function draftsAt(key: string): Drafts {
  return {
    keep: (draft) => {
      try {
        sessionStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // Only until the page is loaded again.
      }
    },
    find: (statement) => {
      try {
        const { of, text } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Draft>;
        const isItsOwn = of === statement || statement === '';
        return isItsOwn && typeof text === 'string' ? text : null;
      } catch {
        return null;
      }
    },
  };
}
