/** Settings from the environment: `SERIESDB_` and the key in capitals. */

const kPrefix = 'SERIESDB_';

/** Variables that are ours by prefix. Unknown ones are kept, so that resolve can refuse them. */
export function settingsFromEnv(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(kPrefix)) continue;
    found.set(name.slice(kPrefix.length).toLowerCase(), value);
  }
  return found;
}

/** How a key is spelled in the environment. */
export function environmentName(key: string): string {
  return kPrefix + key.toUpperCase();
}
