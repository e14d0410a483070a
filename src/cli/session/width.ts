import stringWidth from 'string-width';

/** Columns of the terminal that a text takes. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}
