/** `seriesdb ingest`: translates its flags. */

import { isTimestampUnit } from '../../common/model/timestamp-unit.js';
import { visible } from '../../common/model/visible-text.js';
import { labelsOf } from '../session/arguments.js';
import { textFlag, type ClientContext, type Flags } from '../session/client-context.js';

import { distinctNames, filesOf, stemOf } from './file-list.js';
import { decimalMarks } from '../../common/tables/cell-numbers.js';
import { loadFormats } from './load-format.js';

import type { Labels } from '../../client/client.js';
import type { IngestWishes } from './ingest-input.js';

interface IngestLoad {
  readonly files: readonly string[];
  readonly wishes: IngestWishes;
}

/** Throws CommandFailure for a directory without loadable files. */
export function ingestLoadOf(
  { terminal, signal }: ClientContext,
  flags: Flags,
  named: readonly string[],
): IngestLoad {
  const say = (text: string): void => {
    terminal.clearLine();
    terminal.writeError(`${text}\n`);
  };
  const files = filesOf(named, (name, reason) => {
    say(`${visible(name)}: skipped, because ${reason}`);
  });
  const precision = textFlag(flags, 'precision') ?? '';
  const metric = textFlag(flags, 'metric') ?? null;
  const table = {
    timeColumn: textFlag(flags, 'time') ?? null,
    ...{ metric, valueColumns: flags['value'] as readonly string[] },
    labelColumns: (flags['labels'] as readonly string[] | undefined) ?? null,
    ignoredColumns: flags['ignore'] as readonly string[],
    labels: labelsOf(flags) ?? {},
    precision: isTimestampUnit(precision) ? precision : null,
    decimal: decimalMarks.find((mark) => mark === flags['decimal']) ?? null,
    nulls: flags['null'] as readonly string[],
    datePattern: textFlag(flags, 'dateFormat') ?? null,
    zone: textFlag(flags, 'tz') ?? null,
  };
  const wishes = {
    format: loadFormats.find((format) => format === flags['format']) ?? null,
    ...{
      table,
      delimiter: textFlag(flags, 'delimiter') ?? null,
      at: textFlag(flags, 'at') ?? null,
    },
    ...{ isDescribing: flags['describe'] !== false, isLenient: flags['onError'] === 'skip' },
    ...{ signal, say, fileLabelOf: fileLabelOf(files, flags, metric) },
  };
  return { files, wishes };
}

/** Tables that would otherwise be one series get their names as a label. */
function fileLabelOf(
  files: readonly string[],
  flags: Flags,
  metric: string | null,
): (name: string) => Labels {
  const key = flags['fileLabel'];
  if (key === false) return () => ({});
  const names = distinctNames(files);
  const counts = new Map<string | null, number>();
  for (const stem of files.map(stemOf)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return (name) => {
    const isShared = files.length > 1 && (metric !== null || (counts.get(stemOf(name)) ?? 0) > 1);
    const label = names.get(name);
    if (label === undefined || (typeof key !== 'string' && !isShared)) return {};
    return { [typeof key === 'string' ? key : 'file']: label };
  };
}
