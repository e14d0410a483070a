/** Lines of the measured load as CSV, with one row per sample. */

/**
 * The columns are `metric,host,region,rack,seconds,value`, and the rows have the order of the
 * lines.
 */
export function csvOf(lines: Buffer): Buffer {
  let text = '';
  for (const line of lines.toString('latin1').trimEnd().split('\n')) {
    const [head = '', fields = '', nanoseconds = ''] = line.split(' ');
    const [metric = '', ...tags] = head.split(',');
    const {
      host = '',
      region = '',
      rack = '',
    } = Object.fromEntries(tags.map((tag) => tag.split('=') as [string, string]));
    const behind = `${host},${region},${rack},${nanoseconds.slice(0, -9)}`;
    for (const field of fields.split(',')) {
      text += `${metric}.${field.replace('=', `,${behind},`)}\n`;
    }
  }
  return Buffer.from(text, 'latin1');
}
