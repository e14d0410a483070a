/** Keys of labels as they stand in a path. */

const kPrefix = 'U__';

/** Takes back the escapes of Prometheus: `U__host_2e_name` is `host.name`. */
export function labelNameOf(written: string): string {
  if (!written.startsWith(kPrefix)) return written;
  const escaped = written.slice(kPrefix.length);
  if (!/^(?:[A-Za-z0-9:]|__|_[0-9A-Fa-f]{1,6}_)*$/.test(escaped)) return written;
  const name = escaped.replace(/__|_([0-9A-Fa-f]{1,6})_/g, (_, code: string | undefined) =>
    code === undefined ? '_' : characterOf(Number.parseInt(code, 16)),
  );
  return /\p{Cs}/u.test(name) ? written : name;
}

/** Half a pair where it is none. */
function characterOf(point: number): string {
  return point > 0x10ffff ? '\ud800' : String.fromCodePoint(point);
}
