/** The formats of an export. */

import { csvText } from '../common/model/csv-text.js';
import {
  describingMembers,
  isDescribed,
  type ExportedMetric,
} from '../common/model/exported-metric.js';
import { keysOf, namesOfTexts, sampleColumns } from '../common/model/table-columns.js';

import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { TextColumn, TextQuery } from '../storage/storage.js';

export const exportFormats = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface SampleForm {
  /** Text before all samples. */
  readonly head: string;
  readonly layoutOf: (metric: ExportedMetric) => Omit<TextQuery, 'of'>;
  /** The first samples of a metric, with its descriptor. */
  readonly printFirst: (metric: ExportedMetric, text: Uint8Array) => Uint8Array;
}

/** `metrics` are all metrics of the export. */
export function formOf(
  format: ExportFormat,
  unit: TimestampUnit,
  metrics: readonly ExportedMetric[],
): SampleForm {
  return format === 'csv' ? csvForm(unit, metrics) : ndjsonForm;
}

const whole = { between: '', order: [], offset: 0, limit: Infinity } as const;

/** The first line of a metric includes its descriptor. */
const ndjsonForm: SampleForm = {
  head: '',
  layoutOf: () => ({
    ...whole,
    columns: [
      columnAfter('{"metric":', 'metric'),
      columnAfter(',"labels":', 'object'),
      columnAfter(',"ts":', 'time'),
      columnAfter(',"value":', 'value'),
    ],
    rowEnd: '}\n',
    isCsv: false,
  }),
  printFirst: (metric, text) => {
    const members = describingMembers(metric);
    if (members === '') return text;
    return Buffer.concat([Buffer.from(`{${members}`), text.subarray(1)]);
  },
};

/** Every row includes the descriptor, if any metric has one. */
function csvForm(unit: TimestampUnit, metrics: readonly ExportedMetric[]): SampleForm {
  const keys = keysOf(metrics);
  const areDescribed = metrics.some(isDescribed);
  const names = [...sampleColumns(unit), ...namesOfTexts(metrics)];
  return {
    head: rowOf(names),
    layoutOf: ({ kind, unit: valueUnit, description }) => ({
      ...whole,
      columns: [
        columnAfter('', 'time'),
        columnAfter(',', 'metric'),
        columnAfter(',', 'value'),
        ...keys.map((label) => ({ ...columnAfter(',', 'label'), label })),
      ],
      rowEnd: areDescribed ? `,${rowOf([kind, valueUnit, description])}` : '\n',
      isCsv: true,
    }),
    printFirst: (_, text) => text,
  };
}

function columnAfter(before: string, kind: TextColumn['kind']): TextColumn {
  return { kind, place: 0, label: '', before };
}

/** Null becomes an empty cell. */
function rowOf(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell === null ? '' : csvText(cell))).join(',')}\n`;
}
