// One row of the table of rooms for each folder of a room whose folders are alike.
import { readdirSync } from 'node:fs';

import { inRoot } from '../project.mjs';

/** `except`: folders without a room of their own, or with another row. */
export function rowsBelow(tree, room, row, except = []) {
  const entries = readdirSync(inRoot(tree, room), { withFileTypes: true });
  const folders = entries.filter((one) => one.isDirectory() && !except.includes(one.name));
  return Object.fromEntries(folders.map(({ name }) => [`${room}/${name}`, row]));
}
