/** Reports skipped lines and cells of a load: shows a few and counts the rest. */

/** Maximum reports per load. */
const shownMax = 10;

/** The counted things, in singular and plural. */
const nouns = {
  line: ['line skipped', 'lines skipped'],
  cell: ['cell skipped', 'cells skipped'],
  sample: ['sample skipped', 'samples skipped'],
} as const;

type Noun = keyof typeof nouns;

export class Complaints {
  readonly #say: (text: string) => void;
  readonly #hidden: Record<Noun, number> = { line: 0, cell: 0, sample: 0 };
  #shown = 0;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Shows the text, or counts it. */
  tell(text: string, what: Noun, count = 1): void {
    if (this.#shown < shownMax) {
      this.#shown += 1;
      this.#say(text);
    } else {
      this.#hidden[what] += count;
    }
  }

  /** Counts things without a text. */
  hide(what: Noun, count: number): void {
    this.#hidden[what] += count;
  }

  /** Reports the counts of hidden texts. */
  finish(): void {
    const parts = (Object.keys(nouns) as Noun[]).flatMap((noun) => {
      const count = this.#hidden[noun];
      const [one, many] = nouns[noun];
      return count === 0 ? [] : [`${count.toLocaleString('en')} more ${count === 1 ? one : many}`];
    });
    if (parts.length > 0) this.#say(parts.join(', '));
  }
}
