/** A progress bar where there is a terminal, and one plain line where there is none. */

const isTerminal = process.stdout.isTTY;
const hasColour = isTerminal && (process.env['NO_COLOR'] ?? '') === '';
const barWidth = 32;
const redrawEveryMs = 50;

const colours = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

/** The text in a colour, or as it is where colours are not wanted. */
export function paint(colour: keyof typeof colours, text: string): string {
  return hasColour ? `\u001b[${String(colours[colour])}m${text}\u001b[0m` : text;
}

/** One line that fills up from 0 to `total`. */
export class Progress {
  private readonly title: string;
  private readonly total: number;
  private done = 0;
  private drawnAt = 0;

  constructor(title: string, total: number) {
    this.title = title;
    this.total = total;
  }

  advance(count: number): void {
    this.done += count;
    if (!isTerminal || performance.now() - this.drawnAt < redrawEveryMs) return;
    this.drawnAt = performance.now();
    process.stdout.write(`\r${this.line()}`);
  }

  /** Ends the line, with a remark where the bar was counting. */
  finish(remark: string): void {
    const title = `  ${this.title.padEnd(9)} `;
    if (!isTerminal) {
      console.log(`${title}${remark}`);
      return;
    }
    this.done = this.total;
    process.stdout.write(`\r\u001b[K${title}${this.bar()} ${remark}\n`);
  }

  private line(): string {
    const percent = Math.floor((100 * this.done) / Math.max(1, this.total));
    return `  ${this.title.padEnd(9)} ${this.bar()} ${String(percent).padStart(3)} %`;
  }

  private bar(): string {
    const filled = Math.round((barWidth * this.done) / Math.max(1, this.total));
    return paint('cyan', '━'.repeat(filled)) + paint('dim', '─'.repeat(barWidth - filled));
  }
}
