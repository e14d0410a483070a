/** The unsent statement, in the tab's session storage: it survives a reload. */

interface Draft {
  /** The statement of the address when the draft was begun. */
  readonly of: string;
  readonly text: string;
}

/** Drafts of one language. */
export interface Drafts {
  readonly keep: (draft: Draft) => void;
  /** The draft begun from `statement`, or null. An empty statement matches any draft. */
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
        // Without storage the draft lasts until the next reload.
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
