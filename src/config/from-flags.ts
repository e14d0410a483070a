/** Settings from the command line: `--data-dir` is `data_dir`. */

/** Takes the parser's options, whose names are in camel case. */
export function settingsFromFlags(
  options: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === 'config') continue;
    found.set(
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    );
  }
  return found;
}

/** How a key is spelled as a flag. */
export function flagName(key: string): string {
  return `--${key.replaceAll('_', '-')}`;
}
