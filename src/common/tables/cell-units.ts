/** Numbers with a unit, such as `12.5%`, `3.2 GB` and `15 ms`. */

import { isNumber } from './cell-numbers.js';

const form = /^([+-]?[\d.,'’\u00a0\u202f]*\d)\s?([\p{L}%°‰µΩ$€£][\p{L}\d%°‰²³/·^]{0,9})$/u;

/** Common units. A column with several of them still holds measurements. */
const knownUnits = new Set([
  ...['B', 'kB', 'KB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB', 'K', 'M', 'G', 'T'],
  ...['ns', 'us', 'µs', 'ms', 's', 'sec', 'min', 'h', '%', '‰', '°C', '°F', 'C', 'F'],
  ...['W', 'kW', 'MW', 'Wh', 'kWh', 'MWh', 'V', 'mV', 'kV', 'A', 'mA', 'Hz', 'kHz', 'MHz', 'GHz'],
  ...['mm', 'cm', 'm', 'km', 'g', 'kg', 't', 'l', 'Pa', 'hPa', 'bar', 'mbar', '€', '$', '£'],
]);

interface MeasuredCell {
  readonly number: string;
  readonly unit: string;
}

/** Returns null if the cell is a plain number or not a number. */
export function measuredOf(cell: string): MeasuredCell | null {
  const [, number = '', unit = ''] = form.exec(cell) ?? [];
  const isMeasured = unit !== '' && (isNumber(number, '.') || isNumber(number, ','));
  return isMeasured ? { number, unit } : null;
}

export type ColumnUnit =
  /** More than half of the cells have this unit. */
  | { readonly kind: 'one'; readonly unit: string }
  | { readonly kind: 'mixed'; readonly units: readonly string[] }
  | { readonly kind: 'none' };

/**
 * The unit of a column's cells. If all cells have the same number, such as `5GHz`, it is a name.
 */
export function unitOfCells(cells: readonly string[]): ColumnUnit {
  const measured = cells.flatMap((cell) => measuredOf(cell) ?? []);
  const isMeasured = measured.length * 2 > cells.length;
  if (!isMeasured || new Set(measured.map(({ number }) => number)).size < 2)
    return { kind: 'none' };
  const counts = new Map<string, number>();
  for (const { unit } of measured) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  const sorted = [...counts].sort(([, left], [, right]) => right - left);
  const [unit, count] = sorted[0] ?? ['', 0];
  if (count * 2 > cells.length) return { kind: 'one', unit };
  const units = sorted.map(([name]) => name);
  return units.every((name) => knownUnits.has(name)) ? { kind: 'mixed', units } : { kind: 'none' };
}

/**
 * The cell's number without the unit. The cell stays as it is if the unit differs or is missing.
 */
export function withoutUnit(cell: string, unit: string): string {
  const text = cell.trim();
  return text.endsWith(unit) ? text.slice(0, -unit.length).trimEnd() : cell;
}
