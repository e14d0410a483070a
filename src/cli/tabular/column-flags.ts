/** Flags about the columns of tables. */

import { InvalidArgumentError, Option } from 'commander';

/** The parser of a repeatable flag. */
export function append(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

export function delimiterOption(): Option {
  return new Option('--delimiter <character>', 'separator of cells, or "tab"').argParser(
    readDelimiter,
  );
}

function readDelimiter(text: string): string {
  if (text === 'tab') return '\t';
  if (/^[!#-~\t ]$/.test(text)) return text;
  throw new InvalidArgumentError('It must be one character, or tab.');
}
