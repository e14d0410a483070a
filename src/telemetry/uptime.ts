/** The uptime of the server. `npm start` builds the server first, in the same process. */

const kLoadedAt = performance.now();

export function uptimeSeconds(): number {
  return (performance.now() - kLoadedAt) / 1000;
}
