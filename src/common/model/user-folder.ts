/** Folders of a user, as the XDG Base Directory Specification has them. */

import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names the folder, and where it is in the home directory without it. */
const folders = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
} as const;

/** The file of that name among ours; null where nobody says whose home it is. */
export function userFile(
  environment: Environment,
  kind: keyof typeof folders,
  name: string,
): string | null {
  const [variable, inHome] = folders[kind];
  const { [variable]: given = '', HOME: home = '' } = environment;
  // As the specification says, a relative path counts as not set.
  const isGiven = path.isAbsolute(given);
  if (!isGiven && home === '') return null;
  return path.join(isGiven ? given : path.join(home, inHome), 'seriesdb', name);
}
