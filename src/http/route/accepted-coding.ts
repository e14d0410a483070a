/** Chooses an answer's encoding by the client's Accept-Encoding (RFC 9110, 12.5.3). */

/**
 * The best encoding among `offered`; the first one among equals. Null means identity. Malformed
 * parts of the header are ignored. A client that accepts nothing, not even identity, gets identity;
 * the RFC leaves this to the server.
 */
export function acceptedCoding<Coding extends string>(
  header: string,
  offered: readonly Coding[],
): Coding | null {
  const weights = weightsIn(header);
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  let bestWeight = 0;
  for (const coding of offered) {
    if (weightOf(coding) <= bestWeight) continue;
    best = coding;
    bestWeight = weightOf(coding);
  }
  // Unless named, `identity` ranks below every named encoding.
  return bestWeight < weightOf('identity') ? null : best;
}

/** Weights from 0 (refused) to 1, by encoding. */
function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';');
    const weight = parameters.length === 0 ? 1 : weightOf(parameters);
    const coding = name.trim();
    if (weight !== null) weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight);
  }
  return weights;
}

function weightOf(parameters: readonly string[]): number | null {
  const [first = ''] = parameters;
  const digits = /^[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*$/.exec(first)?.[1];
  return parameters.length > 1 || digits === undefined ? null : Number(digits);
}
