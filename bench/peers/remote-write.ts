/** Lines of the measured load as remote_write, for databases that take no other format. */
import { writeRequest, type SentSeries } from '../../test/support/remote-write.js';

import { packed } from '../ingest/snappy.js';

interface Growing extends SentSeries {
  readonly samples: [number, number][];
}

/** Converts a body in line protocol from `loadBodies`. Fields are named as in other databases. */
export function remoteWriteOf(lines: Buffer): Buffer {
  const series = new Map<string, Growing>();
  for (const line of lines.toString('latin1').trimEnd().split('\n')) {
    const [head = '', fields = '', nanoseconds = ''] = line.split(' ');
    for (const field of fields.split(',')) {
      const [name = '', value = ''] = field.split('=');
      const key = `${head} ${name}`;
      const known = series.get(key) ?? begun(head, name);
      series.set(key, known);
      known.samples.push([Number(nanoseconds.slice(0, -6)), Number(value)]);
    }
  }
  return packed(writeRequest([...series.values()]));
}

function begun(head: string, field: string): Growing {
  const [metric = '', ...tags] = head.split(',');
  const labels = tags.map((tag) => tag.split('=') as [string, string]);
  return {
    labels: Object.fromEntries([['__name__', `${metric}_${field}`], ...labels]),
    samples: [],
  };
}
