/** `seriesdb import`: detects the format of each input and its column roles. */

import { isTimestampUnit, type TimestampUnit } from '../../common/model/timestamp-unit.js';

import { labelsOf } from '../session/arguments.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { CommandFailure } from '../session/failure.js';
import { formatOfName, tableFormats, type TableFormat } from '../tabular/table-format.js';

import { csvInput } from './csv-input.js';
import { shownName } from './file-list.js';
import { peek, type Input } from './input.js';

import type { Mapping } from '../../common/tables/row-lines.js';

interface TableLoad {
  /** Null: by the extension. */
  readonly format: TableFormat | null;
  readonly mapping: Mapping;
  readonly delimiter: string;
  readonly isLenient: boolean;
  readonly signal: AbortSignal;
}

export function tableLoadOf(flags: Flags, signal: AbortSignal): TableLoad {
  const precision = textFlag(flags, 'precision') ?? '';
  return {
    format: tableFormats.find((format) => format === flags['format']) ?? null,
    mapping: {
      timeColumn: textFlag(flags, 'timeColumn') ?? null,
      valueColumns: flags['valueColumn'] as readonly string[],
      metric: textFlag(flags, 'metric') ?? null,
      metricColumn: textFlag(flags, 'metricColumn') ?? null,
      labels: labelsOf(flags) ?? {},
      ignoredColumns: flags['ignoreColumn'] as readonly string[],
      precision: isTimestampUnit(precision) ? precision : null,
      guess: null,
    },
    delimiter: textFlag(flags, 'delimiter') ?? ',',
    isLenient: flags['onError'] === 'skip',
    signal,
  };
}

/** The lines of an input. `unit` is the database's timestamp unit. */
export async function tableLines(
  raw: Input,
  load: TableLoad,
  unit: () => Promise<TimestampUnit>,
): Promise<Input> {
  const format = load.format ?? formatOfName(raw.name) ?? 'ndjson';
  if (format === 'csv') {
    const text = { delimiter: load.delimiter, encoding: 'utf-8' } as const;
    const { beginning, input } = await peek(raw);
    return csvInput(input, { ...load, unit: await unit() }, { ...text, beginning });
  }
  if (format === 'parquet') {
    const { parquetInput } = await import('./parquet-input.js');
    const { mapping, isLenient, signal } = load;
    return parquetInput(raw, { mapping, isLenient, unit: await unit() }, { signal });
  }
  if (!hasColumns(load.mapping)) return raw;
  throw new CommandFailure(
    `${shownName(raw.name)} was recognized as lines, which have no columns; name its format by --format`,
  );
}

/** Whether a flag was given that only tables have. */
function hasColumns(mapping: Mapping): boolean {
  const { timeColumn, metric, metricColumn, labels, valueColumns, ignoredColumns } = mapping;
  return (
    [timeColumn, metric, metricColumn].some((one) => one !== null) ||
    [valueColumns, ignoredColumns, Object.keys(labels)].some((all) => all.length > 0)
  );
}
