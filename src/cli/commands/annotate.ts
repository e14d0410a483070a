/** `seriesdb annotate write`, `update`, `delete` and `list`: annotations of time ranges. */

import type { Command } from 'commander';

import { parseU64 } from '../../common/model/integers.js';
import { printTime } from '../../common/model/iso-time.js';
import { parseTime } from '../../common/model/time-text.js';
import {
  addLabelFlag,
  addLimitFlag,
  addOpFlag,
  addTimes,
  filterOf,
  labelsOf,
  timeFlag,
} from '../session/arguments.js';
import { finishTimed } from '../session/client-command.js';
import { printJson, textFlag, type TimedContext, type Flags } from '../session/client-context.js';
import { CommandFailure, exitCodes } from '../session/failure.js';
import { printLabels, printTable } from '../session/table.js';

import type { Annotation } from '../../client/client.js';
import type { Session } from '../session/command.js';

export function addAnnotate(program: Command, session: Session): void {
  const annotate = program
    .command('annotate')
    .description('write, change, delete and list annotations')
    .exitOverride();
  const write = addNote(annotate.command('write').description('store an annotation'));
  finishTimed(write, session, (context, flags, [kind = '', title = '']) =>
    writeAnnotation(context, { kind, title }, flags),
  );

  const update = annotate
    .command('update')
    .description('replace an annotation and keep its id')
    .argument('<id>', 'id of the annotation');
  addNote(update);
  finishTimed(update, session, (context, flags, [id = '', kind = '', title = '']) =>
    writeAnnotation(context, { id: noteId(id), kind, title }, flags),
  );

  const remove = annotate
    .command('delete')
    .description('delete an annotation')
    .argument('<id>', 'id of the annotation');
  finishTimed(remove, session, (context, _flags, [id = '']) =>
    deleteAnnotation(context, noteId(id)),
  );

  const list = annotate
    .command('list')
    .description('list annotations that overlap a time range')
    .option('--kind <kind>', 'only this kind')
    .option('--metric <name>', 'only of this metric');
  addTimes(addLimitFlag(addOpFlag(addLabelFlag(list))));
  finishTimed(list, session, (context, flags) => listAnnotations(context, flags));
}

/** The arguments of an annotation, after all others. */
function addNote(command: Command): Command {
  command
    .argument('<kind>', 'kind of annotation, for example deploy')
    .argument('<title>', 'its title')
    .option('--message <text>', 'full text')
    .option('--metric <name>', 'metric that it describes');
  addTimes(addLabelFlag(command), 'now', 'its start');
  return command;
}

async function deleteAnnotation(context: TimedContext, id: bigint): Promise<number> {
  const deleted = await context.client.deleteAnnotation(id, { signal: context.signal });
  write(context, [deleted], deleted);
  return exitCodes.ok;
}

function noteId(text: string): bigint {
  const id = parseU64(text);
  if (id === null) throw new CommandFailure(`${text} is not the id of an annotation`);
  return id;
}

interface Note {
  /** The id of the annotation to replace. */
  readonly id?: bigint;
  readonly kind: string;
  readonly title: string;
}

async function writeAnnotation(
  context: TimedContext,
  { id, kind, title }: Note,
  flags: Flags,
): Promise<number> {
  const message = textFlag(flags, 'message');
  const metric = textFlag(flags, 'metric');
  const labels = labelsOf(flags);
  const now = parseTime('now', context.unit);
  if (now === null) throw new CommandFailure('the clock of this machine cannot be read');
  const start = timeFlag(context, flags, { flag: '--start', name: 'start', fallback: now });
  const end = timeFlag(context, flags, { flag: '--end', name: 'end', fallback: undefined });
  const note = {
    ...{ kind, title, start },
    ...(message === undefined ? {} : { message }),
    ...(metric === undefined ? {} : { metric }),
    ...(labels === undefined ? {} : { labels }),
    ...(end === undefined ? {} : { end }),
  };
  const { client, signal } = context;
  const stored =
    id === undefined
      ? await client.writeAnnotation(note, { signal })
      : await client.updateAnnotation({ id, ...note }, { signal });
  write(context, [stored], stored);
  return exitCodes.ok;
}

async function listAnnotations(context: TimedContext, flags: Flags): Promise<number> {
  const kind = textFlag(flags, 'kind');
  const metric = textFlag(flags, 'metric');
  const start = timeFlag(context, flags, { flag: '--start', name: 'start', fallback: undefined });
  const end = timeFlag(context, flags, { flag: '--end', name: 'end', fallback: undefined });
  const filter = {
    ...filterOf(flags),
    ...(kind === undefined ? {} : { kind }),
    ...(metric === undefined ? {} : { metric }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
  const found = await context.client.findAnnotations(filter, { signal: context.signal });
  write(context, found, found);
  return exitCodes.ok;
}

function write(context: TimedContext, notes: readonly Annotation[], answer: unknown): void {
  const { terminal, isJson, unit } = context;
  if (isJson) {
    terminal.write(printJson(answer));
    return;
  }
  if (notes.length === 0) {
    terminal.writeError('nothing found\n');
    return;
  }
  const columns = ['id', 'kind', 'from', 'to', 'title', 'metric', 'labels', 'message'];
  const time = (ts: bigint): string => printTime(ts, unit) || String(ts);
  const rows = notes.map((one) => [
    ...[one.id, one.kind, time(one.start), time(one.end), one.title],
    ...[one.metric, printLabels(one.labels), one.message],
  ]);
  terminal.write(
    printTable(
      columns.map((name) => ({ name, isNumber: name === 'id' })),
      rows,
      { width: terminal.width() },
    ),
  );
}
