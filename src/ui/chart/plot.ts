/** The canvas with its axes: uPlot has the frame, the lines are ours. */

import uPlot from 'uplot';

import { perSecondOf, printMarks } from '../units.js';
import { extentOf } from './lines.js';
import { endLabelWidth, endLabelsMax, paintEndLabels } from './end-labels.js';
import { paint, type Frame, type Painted, type Palette } from './paint.js';
import { timeMarks, type Mark } from './time-axis.js';
import { logMarks, valueMarks, valueRange, type ValueScale } from './value-axis.js';

import type { Clock } from '../zone.js';
import type { Line } from './lines.js';

export interface PlotScene {
  readonly origin: bigint;
  /** Ticks from the origin, both ends. */
  readonly span: readonly [number, number];
  readonly lines: readonly Painted[];
  readonly envelope: Line | null;
  readonly lifted: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: Clock;
  readonly scale: ValueScale;
  readonly also: ((ts: bigint) => string) | undefined;
}

/** The part of the host where lines are, in pixels of the page. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const kNarrow = 560;
/** Of the host's width, the least that is the plot's. */
const kPlotShare = 0.75;
const kTimeAxis = 46;
/** Powers of ten say nothing where fewer of them lie in the range. */
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

  get area(): Area {
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

  /** Colours and sizes are read anew. */
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
          // Else some marks of a logarithmic axis come as null.
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

  /** As wide as the longest of its words, and as what the first mark of time has before it. */
  #valueAxisSize(): number {
    const texts = printMarks(this.#valueMarks(), this.#scene.unit);
    const widths = texts.map((text) => this.#textWidth(text));
    const [first] = this.#marks;
    const before = first === undefined ? 0 : this.#halfWidth(first) - this.#pixelsTo(first.x);
    return Math.ceil(Math.max(24, Math.max(...widths) + 14, before));
  }

  /** For names of lines, and for what the last mark of time has behind it. */
  #roomAtRight(): number {
    const last = this.#marks.at(-1);
    const [, to] = this.#scene.span;
    const behind =
      last === undefined
        ? 0
        : this.#halfWidth(last) - (this.#pixelsTo(to) - this.#pixelsTo(last.x));
    return Math.max(12, this.#labelWidth(this.#scene), Math.ceil(behind) + 2);
  }

  /** From the left edge of the plot, before it is known how wide that is: rather too few. */
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
    const frame: Frame = {
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

/** Its enumeration has no names at run time. */
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
