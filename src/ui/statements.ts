/** The statements of SeriesQL that pages ask: the only place where names and texts are quoted. */

/** A text in its quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What a regular expression takes for itself. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The names of metrics that have `word` somewhere in them, in whatever case. */
export function metricsWithWord(word: string, limit: number): string {
  return `show metrics where metric =~ ${quoted(`(?i)${literal(word)}`)} limit ${limit}`;
}
