/** How long the server runs. `npm start` builds it first, in the same process. */

const kLoadedAt = performance.now();

export function uptimeSeconds(): number {
  return (performance.now() - kLoadedAt) / 1000;
}
