/** Exports a chart: its rows as CSV, and its image. */

import { beginningOf } from '../../common/model/visible-text.js';
import { strokeOf, type LineStyle } from '../chart/colours.js';
import { printIso, type TimeUnit } from '../zone.js';

import type { Picture } from '../chart/picture.js';

interface CsvOptions {
  readonly names: ReadonlyMap<string, string>;
  readonly hidden: ReadonlySet<string>;
  readonly unit: TimeUnit;
}

/** The visible buckets: a row for each bucket of each line. */
export function csvOf(picture: Picture, { names, hidden, unit }: CsvOptions): string {
  const rows = ['time,series,mean,min,max,last'];
  for (const line of picture.lines) {
    if (hidden.has(line.id)) continue;
    const name = cellOf(names.get(line.id) ?? line.id);
    line.xs.forEach((x, at) => {
      const time = printIso(picture.origin + BigInt(Math.round(x)), unit);
      const values = [line.mean[at], line.min[at], line.max[at], line.last[at]].map(numberText);
      rows.push(`${time},${name},${values.join(',')}`);
    });
  }
  return `${rows.join('\r\n')}\r\n`;
}

const cellOf = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const numberText = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : String(value);

export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  const url = URL.createObjectURL(blob);
  link.href = url;
  link.download = name;
  link.click();
  // The browser needs the URL until the download has begun.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}

/** The file name, without characters that file systems reject. */
export const fileName = (metric: string, ending: string): string =>
  `${metric.replace(/[^\w.-]+/g, '_').slice(0, 100)}.${ending}`;

interface PngOptions {
  readonly title: string;
  /** Window, zone and number of lines. */
  readonly below: string;
  readonly lines: readonly { readonly name: string; readonly style: LineStyle }[];
}

const kEdge = 20;
const kHead = 56;
const kRow = 20;
/** The most names; more would make the legend longer than the chart. */
const kNamesMax = 100;
/** Image pixels per CSS pixel. */
const kScale = 2;

/** Draws the canvas with title and legend onto the theme's background. */
export async function pngOf(chart: HTMLCanvasElement, options: PngOptions): Promise<Blob | null> {
  const ratio = devicePixelRatio;
  const [width, height] = [chart.width / ratio, chart.height / ratio];
  const columns = Math.max(1, Math.floor(width / 220));
  const named = options.lines.slice(0, kNamesMax);
  const legendRows = Math.ceil(named.length / columns);
  const canvas = document.createElement('canvas');
  canvas.width = (width + 2 * kEdge) * kScale;
  canvas.height = (height + kHead + legendRows * kRow + 2 * kEdge) * kScale;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.scale(kScale, kScale);
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  context.fillStyle = token('ground');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = token('text');
  context.font = `600 18px ${token('sans')}`;
  context.fillText(options.title, kEdge, kEdge + 16);
  context.fillStyle = token('quiet');
  context.font = `12px ${token('sans')}`;
  context.fillText(options.below, kEdge, kEdge + 36);
  context.drawImage(chart, kEdge, kHead + kEdge / 2, width, height);
  context.lineWidth = 2.5;
  named.forEach(({ name, style: { colour, dash } }, at) => {
    const x = kEdge + (at % columns) * 220;
    const y = kHead + kEdge + height + Math.floor(at / columns) * kRow + 8;
    context.strokeStyle = token(`line-${colour + 1}`);
    context.setLineDash([...strokeOf[dash]]);
    context.beginPath();
    context.moveTo(x, y - 4);
    context.lineTo(x + 16, y - 4);
    context.stroke();
    context.fillStyle = token('text');
    context.fillText(name.length > 28 ? `${beginningOf(name, 27)}…` : name, x + 22, y);
  });
  return new Promise((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
}
