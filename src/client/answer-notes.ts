/** Notes from the headers of an answer, for formats that have no place for notes. */

export interface AnswerNotes {
  /** The past state that was read, and its gaps. Null if the answer has no such header. */
  readonly as_of: string | null;
  readonly warnings: readonly string[];
}

export interface NotedOptions {
  /** Called with each 2xx answer, before its body is read. */
  readonly onNotes?: (notes: AnswerNotes) => void;
}

/** Several headers of one name arrive joined by commas. */
const kWarning = /299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** The call option that reads the notes. */
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
