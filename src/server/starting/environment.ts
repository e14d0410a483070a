/** The environment, as the code that runs before the program is loaded needs it. */

import { homedir } from 'node:os';
import path from 'node:path';

/** systemd names the service's folder for caches, and else the convention of desktops holds. */
export function cacheBase(): string {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
  const given = [CACHE_DIRECTORY?.split(':')[0], XDG_CACHE_HOME].find(
    (one) => one?.startsWith('/') === true,
  );
  return given ?? path.join(homedir(), '.cache');
}

/** Without settings, which are for this server. */
export function environmentOfChild(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SERIESDB_'));
  return Object.fromEntries(own);
}
