/** A user's folders by the XDG Base Directory Specification. */

import path from 'node:path';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variable of each folder, and its default path in the home directory. */
const folders = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
} as const;

/** The path of a file of seriesdb. Null if neither the variable nor HOME is set. */
export function userFile(
  environment: Environment,
  kind: keyof typeof folders,
  name: string,
): string | null {
  const [variable, inHome] = folders[kind];
  const { [variable]: given = '', HOME: home = '' } = environment;
  // By the specification, a relative path counts as not set.
  const isGiven = path.isAbsolute(given);
  if (!isGiven && home === '') return null;
  return path.join(isGiven ? given : path.join(home, inHome), 'seriesdb', name);
}
