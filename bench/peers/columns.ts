/**
 * Lines of ten fields as columns, for databases in the process, whose users parse no text. A length
 * and the hosts' labels as JSON come first.
 */

export interface Columns {
  /** Host, region and rack of each host. */
  readonly hosts: readonly (readonly string[])[];
  readonly hostOf: Float64Array;
  /** Milliseconds. */
  readonly ts: Float64Array;
  readonly fields: readonly Float64Array[];
}

const kAlignment = 8;

/** Converts a body in line protocol. REQUIRES: all lines have the same fields. */
export function columnsOf(lines: Buffer): Buffer {
  const rows = lines.toString('latin1').trimEnd().split('\n');
  const heads = new Map<string, number>();
  const values = rows.map((row) => {
    const [head = '', fields = '', nanoseconds = ''] = row.split(' ');
    const host = heads.get(head) ?? heads.size;
    heads.set(head, host);
    const numbers = fields.split(',').map((field) => Number(field.slice(field.indexOf('=') + 1)));
    return [host, Number(nanoseconds.slice(0, -6)), ...numbers];
  });
  const width = values[0]?.length ?? 0;
  const columns = new Float64Array(width * rows.length);
  for (const [row, numbers] of values.entries()) {
    for (const [at, value] of numbers.entries()) columns[at * rows.length + row] = value;
  }
  return packed([...heads.keys()].map(labelsOf), rows.length, columns);
}

function labelsOf(head: string): string[] {
  const tags = Object.fromEntries(
    head.split(',').map((tag) => [tag.split('=')[0] ?? '', tag.split('=')[1] ?? '']),
  );
  return ['host', 'region', 'rack'].map((name) => tags[name] ?? '');
}

function packed(hosts: readonly string[][], rows: number, columns: Float64Array): Buffer {
  const head = JSON.stringify({ hosts, rows });
  const size = Math.ceil((head.length + 4) / kAlignment) * kAlignment;
  const start = Buffer.alloc(size, ' ');
  start.writeUInt32LE(size, 0);
  start.write(head, 4, 'latin1');
  return Buffer.concat([start, Buffer.from(columns.buffer)]);
}

export function columnsIn(body: Buffer): Columns {
  const size = body.readUInt32LE(0);
  const { hosts, rows } = JSON.parse(body.toString('latin1', 4, size)) as {
    hosts: string[][];
    rows: number;
  };
  // A copy, since a body may begin at any address.
  const numbers = new Float64Array(new Uint8Array(body.subarray(size)).buffer);
  const [hostOf = numbers, ts = numbers, ...fields] = Array.from(
    { length: numbers.length / rows },
    (_, at) => numbers.subarray(at * rows, (at + 1) * rows),
  );
  return { hosts, hostOf, ts, fields };
}
