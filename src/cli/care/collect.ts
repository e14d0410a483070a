/** `seriesdb gc`: removing what nothing needs, of a database that is open or closed. */

import { parse } from 'lossless-json';

import {
  answerCollection,
  type CollectionFigures,
  type CollectionRequest,
} from '../../operations/maintenance.js';
import { exitCodes } from '../failure.js';
import { resolveInputs } from '../setting-flags.js';
import { printFacts } from '../table.js';

import { adminConnection, placeOf, type CareContext } from './care-context.js';
import { cellOf } from './inspect.js';
import { withOpened } from './task.js';

import type { Flags } from '../client-context.js';

/** Resolves with the exit code. */
export async function collectGarbage(
  context: CareContext,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, isJson } = context;
  const place = placeOf(directory, flags);
  const request = { isDryRun: flags['dryRun'] === true, isOfHistory: flags['history'] === true };
  const answer =
    'url' in place
      ? await askServer(context, place.url, flags, request)
      : await answerCollection(
          { collect: () => collectIn(context, place.directory, flags, request) },
          request,
        );
  const facts = Object.entries(parse(answer) as object);
  const table = printFacts(facts.map(([name, value]) => [name, cellOf(value)]));
  terminal.write(isJson ? `${answer}\n` : table);
  return exitCodes.ok;
}

function askServer(
  { terminal, signal }: CareContext,
  url: string,
  flags: Flags,
  { isDryRun, isOfHistory }: CollectionRequest,
): Promise<string> {
  const path = `/__admin/gc?dry_run=${isDryRun}&history=${isOfHistory}`;
  const call = { method: 'POST', path, isRepeatable: false, signal } as const;
  return adminConnection(terminal, url, flags).text(call);
}

/** Opening for work removes what nothing names: what that is has to be looked at before. */
async function collectIn(
  context: CareContext,
  directory: string,
  flags: Flags,
  request: CollectionRequest,
): Promise<CollectionFigures> {
  const { settings } = resolveInputs({ config: flags['config'] }, context.terminal.environment);
  const seen = await context.directories.openForReading(directory, null, settings);
  let before: CollectionFigures;
  try {
    before = await seen.collect({ isDryRun: true, isOfHistory: false });
    if (request.isDryRun) return await seen.collect(request);
  } finally {
    await seen.close();
  }
  context.signal.throwIfAborted();
  const after = await withOpened(context, directory, flags, (opened) => opened.collect(request));
  return { ...after, files: before.files + after.files, bytes: before.bytes + after.bytes };
}
