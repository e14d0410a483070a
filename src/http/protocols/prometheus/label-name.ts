/** Label keys in URL paths. */

const kPrefix = 'U__';

/** Unescapes a name by Prometheus' rules: `U__host_2e_name` becomes `host.name`. */
export function labelNameOf(written: string): string {
  if (!written.startsWith(kPrefix)) return written;
  const escaped = written.slice(kPrefix.length);
  if (!/^(?:[A-Za-z0-9:]|__|_[0-9A-Fa-f]{1,6}_)*$/.test(escaped)) return written;
  const name = escaped.replace(/__|_([0-9A-Fa-f]{1,6})_/g, (_, code: string | undefined) =>
    code === undefined ? '_' : characterOf(Number.parseInt(code, 16)),
  );
  return /\p{Cs}/u.test(name) ? written : name;
}

/** Gives a lone surrogate if the code point is invalid. */
function characterOf(point: number): string {
  return point > 0x10ffff ? '\ud800' : String.fromCodePoint(point);
}
