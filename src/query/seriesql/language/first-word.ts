/** What a statement does, by its first word, before it is parsed. */

/** Blanks, or a comment. Each begins with another character, so that matching is linear. */
const blank = /\s+|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y;
const word = /[\w\u0080-\uffff]*/y;

/** In lower case; empty if the text begins otherwise. Takes time linear in the text before it. */
function firstWord(text: string): string {
  let at = 0;
  blank.lastIndex = 0;
  while (blank.test(text)) at = blank.lastIndex;
  word.lastIndex = at;
  return word.exec(text)?.[0].toLowerCase() ?? '';
}

const storingWords: readonly string[] = ['insert', 'delete', 'drop'];

/** True for INSERT, DELETE and DROP METRIC; the statement may have errors. */
export function mayStore(text: string): boolean {
  return storingWords.includes(firstWord(text));
}
