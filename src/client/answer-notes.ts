/** What the headers of an answer say of it, for forms that have no place for that. */

export interface AnswerNotes {
  /** Which past state was read, and what it lacks; null where its name says that. */
  readonly as_of: string | null;
  readonly warnings: readonly string[];
}

export interface NotedOptions {
  /** Called with each 2xx answer, before its body is read. */
  readonly onNotes?: (notes: AnswerNotes) => void;
}

/** Several of one name come joined by commas. */
const kWarning = /299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** What a call needs to tell the notes. */
export function notesCall({ onNotes }: NotedOptions): {
  readonly onHeaders: ((headers: Headers) => void) | undefined;
} {
  if (onNotes === undefined) return { onHeaders: undefined };
  const onHeaders = (headers: Headers): void => {
    const told = [...(headers.get('warning') ?? '').matchAll(kWarning)];
    const warnings = told.map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
    onNotes({ as_of: headers.get('seriesdb-as-of'), warnings });
  };
  return { onHeaders };
}
