/** The canvas with its axes: uPlot draws the axes, paint.ts the lines. */

import uPlot from 'uplot';

import { perSecondOf, printMarks } from '../units.js';
import { extentOf } from './lines.js';
import { endLabelWidth, endLabelsMax, paintEndLabels } from './end-labels.js';
import { paint, type PlotFrame, type Painted, type Palette } from './paint.js';
import { timeMarks, type Mark } from './time-axis.js';
import { logMarks, valueMarks, valueRange, type ValueScale } from './value-axis.js';

import type { PageClock } from '../zone.js';
import type { ChartLine } from './lines.js';

export interface PlotScene {
  readonly origin: bigint;
  /** The first and last tick, from the origin. */
  readonly span: readonly [number, number];
  readonly lines: readonly Painted[];
  readonly envelope: ChartLine | null;
  readonly lifted: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: PageClock;
  readonly scale: ValueScale;
  readonly also: ((ts: bigint) => string) | undefined;
}

/** The rectangle of the plot in its host, in CSS pixels. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const kNarrow = 560;
/** The minimum share of the host's width for the plot. */
const kPlotShare = 0.75;
const kTimeAxis = 46;
/** With fewer powers of ten in range, the axis uses other marks. */
const kMarksLeast = 3;
const isBinary = (unit: string): boolean => /^b(yte)?s?(\/s)?$/i.test(unit);

export class Plot {
  readonly #host: HTMLElement;
  #scene: PlotScene;
  #chart: uPlot;
  #palette: Palette;
  #range: readonly [number, number] = [0, 1];
  #marks: readonly Mark[] = [];
  readonly #measuring = document.createElement('canvas').getContext('2d');
  #size = { width: 0, height: 0 };

  constructor(host: HTMLElement, scene: PlotScene) {
    this.#host = host;
    this.#scene = scene;
    this.#palette = paletteOf(host);
    this.#size = sizeOf(host);
    this.#chart = this.#made();
  }

  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  get area(): PlotArea {
    const { left, top, width, height } = this.#chart.bbox;
    const ratio = uPlot.pxRatio;
    return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
  }

  yOf(value: number): number {
    return this.#chart.valToPos(value, 'y');
  }

  valueAt(pixel: number): number {
    return this.#chart.posToVal(pixel, 'y');
  }

  show(scene: PlotScene): void {
    const isAlike =
      scene.scale === this.#scene.scale &&
      scene.unit === this.#scene.unit &&
      this.#labelWidth(scene) === this.#labelWidth(this.#scene);
    this.#scene = scene;
    if (!isAlike) this.#remake();
    else this.#update();
  }

  /** Reads colours and sizes again. */
  refresh(): void {
    this.#palette = paletteOf(this.#host);
    this.#size = sizeOf(this.#host);
    this.#remake();
  }

  destroy(): void {
    this.#chart.destroy();
  }

  #remake(): void {
    this.#chart.destroy();
    this.#chart = this.#made();
  }

  #made(): uPlot {
    this.#measure();
    const { scene, palette } = { scene: this.#scene, palette: this.#palette };
    const line = { stroke: palette.grid, width: 1 };
    const axis = { stroke: palette.quiet, font: palette.font, ticks: { show: false } };
    const noCursor = {
      cursor: { show: false },
      legend: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    };
    const options: uPlot.Options = {
      ...this.#size,
      ...noCursor,
      padding: [10, () => this.#roomAtRight(), 0, 0],
      scales: {
        x: { time: false, range: () => [...this.#scene.span] },
        y: {
          ...kindOf(scene.scale),
          range: () => [...this.#range],
        },
      },
      axes: [
        {
          ...axis,
          ...{ grid: line, size: kTimeAxis, gap: 8 },
          splits: () => this.#marks.map(({ x }) => x),
          values: () =>
            this.#marks.map(({ label, below }) => (below === '' ? label : `${label}\n${below}`)),
        },
        {
          ...axis,
          ...{ grid: line, gap: 8, size: () => this.#valueAxisSize() },
          splits: () => [...this.#valueMarks()],
          // Without this filter uPlot replaces some marks of a logarithmic axis by null.
          filter: (_chart, marks) => marks,
          values: (_chart, marks) => [...printMarks(marks, scene.unit)],
        },
      ],
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      hooks: {
        draw: [
          (chart) => {
            this.#paint(chart);
          },
        ],
      },
    };
    const [from, to] = this.#scene.span;
    return new uPlot(
      options,
      [
        [from, to],
        [null, null],
      ],
      this.#host,
    );
  }

  #update(): void {
    this.#measure();
    const [from, to] = this.#scene.span;
    this.#chart.setData([
      [from, to],
      [null, null],
    ]);
  }

  #measure(): void {
    const { lines, envelope, span, scale, clock, origin } = this.#scene;
    const all = [...lines.map(({ line }) => line), ...(envelope === null ? [] : [envelope])];
    const isTaken = scale === 'log' ? (value: number) => value > 0 : () => true;
    this.#range = valueRange(extentOf(all, span, isTaken), scale);
    const room = this.#size.width - 60 - this.#labelWidth(this.#scene);
    const [from, to] = span;
    this.#marks = timeMarks({ origin, from, to }, clock, Math.max(2, Math.floor(room / 96)));
  }

  #valueMarks(): readonly number[] {
    const { scale, unit } = this.#scene;
    const marks = scale === 'log' ? logMarks(this.#range) : [];
    if (marks.length >= kMarksLeast) return marks;
    const count = Math.max(2, Math.floor(this.#size.height / 60));
    return valueMarks(this.#range, {
      count,
      isBinary: isBinary(unit),
      perSecond: perSecondOf(unit),
    });
  }

  /** The width of the longest label, or of the first time mark's part left of the plot. */
  #valueAxisSize(): number {
    const texts = printMarks(this.#valueMarks(), this.#scene.unit);
    const widths = texts.map((text) => this.#textWidth(text));
    const [first] = this.#marks;
    const before = first === undefined ? 0 : this.#halfWidth(first) - this.#pixelsTo(first.x);
    return Math.ceil(Math.max(24, Math.max(...widths) + 14, before));
  }

  /** Room for line names and for the part of the last time mark right of the plot. */
  #roomAtRight(): number {
    const last = this.#marks.at(-1);
    const [, to] = this.#scene.span;
    const behind =
      last === undefined
        ? 0
        : this.#halfWidth(last) - (this.#pixelsTo(to) - this.#pixelsTo(last.x));
    return Math.max(12, this.#labelWidth(this.#scene), Math.ceil(behind) + 2);
  }

  /** Estimates the distance from the plot's left edge before the width is known; rather too low. */
  #pixelsTo(x: number): number {
    const [from, to] = this.#scene.span;
    const width = this.#size.width * kPlotShare - this.#labelWidth(this.#scene);
    return ((x - from) / (to - from)) * Math.max(0, width);
  }

  #halfWidth({ label, below }: Mark): number {
    return Math.max(this.#textWidth(label), this.#textWidth(below)) / 2;
  }

  #textWidth(text: string): number {
    if (this.#measuring === null) return text.length * 7;
    this.#measuring.font = this.#palette.font;
    return this.#measuring.measureText(text).width;
  }

  #labelWidth({ names, lines }: PlotScene): number {
    if (this.#size.width < kNarrow || lines.length > endLabelsMax || lines.length < 2) return 0;
    return endLabelWidth(lines.map(({ line }) => names.get(line.id) ?? ''));
  }

  #paint(chart: uPlot): void {
    const { left, top, width, height } = chart.bbox;
    const [from, to] = this.#scene.span;
    const frame: PlotFrame = {
      ...{ left, top, width, height, from, to, ratio: uPlot.pxRatio },
      xOf: (x) => left + ((x - from) / (to - from)) * width,
      yOf: (value) => chart.valToPos(value, 'y', true),
    };
    const scene = { ...this.#scene, palette: this.#palette };
    paint(chart.ctx, frame, scene);
    if (this.#labelWidth(this.#scene) > 0) {
      const font = this.#palette.font.replace(/\d+px/, `${12 * uPlot.pxRatio}px`);
      paintEndLabels(chart.ctx, frame, { ...scene, palette: { ...this.#palette, font } });
    }
  }
}

/** uPlot's `const enum` of scales has no names at run time. */
const kindOf = (scale: ValueScale): Pick<uPlot.Scale, 'distr'> =>
  Object.fromEntries([['distr', scale === 'log' ? 3 : 1]]);

function sizeOf(host: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(120, host.clientWidth), height: Math.max(120, host.clientHeight) };
}

function paletteOf(host: HTMLElement): Palette {
  const style = getComputedStyle(host);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    lines: Array.from({ length: 8 }, (_, at) => token(`line-${at + 1}`)),
    ...{ text: token('text'), quiet: token('quiet'), grid: token('chart-grid') },
    ...{ ground: token('ground'), band: token('chart-band') },
    font: `12px ${token('sans')}`,
  };
}
