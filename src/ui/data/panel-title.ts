/** What a panel of a statement is called until somebody renames it. */

import { beginningOf } from '../../common/model/visible-text.js';

/** A longer one is cut off on its panel. */
const kTitleLength = 40;

/** A short statement; of a longer one its metric, or its first words. */
export function titleOf(statement: string): string {
  const line = statement.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= kTitleLength) return line;
  const [, quoted, plain] = /\bfrom (?:"([^"]+)"|([A-Za-z_][\w.:]*))(?![\w.:(])/i.exec(line) ?? [];
  const metric = quoted ?? plain;
  if (metric !== undefined && metric.length <= kTitleLength) return metric;
  const begin = beginningOf(line, kTitleLength);
  return `${begin.slice(0, begin.lastIndexOf(' ') < 1 ? undefined : begin.lastIndexOf(' '))}…`;
}
