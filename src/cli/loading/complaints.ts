/** What a load says of lines and cells that it left out: a few are shown, the rest is counted. */

/** So many are shown of a load, whatever it left out. */
const shownMax = 10;

/** What is counted, in words for one and for many. */
const nouns = {
  line: ['line skipped', 'lines skipped'],
  cell: ['cell left out', 'cells left out'],
  sample: ['sample left out', 'samples left out'],
} as const;

type Noun = keyof typeof nouns;

export class Complaints {
  readonly #say: (text: string) => void;
  readonly #hidden: Record<Noun, number> = { line: 0, cell: 0, sample: 0 };
  #shown = 0;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Shows the text, or counts so many of what it is about. */
  tell(text: string, what: Noun, count = 1): void {
    if (this.#shown < shownMax) {
      this.#shown += 1;
      this.#say(text);
    } else {
      this.#hidden[what] += count;
    }
  }

  /** Counts what nobody has a text for. */
  hide(what: Noun, count: number): void {
    this.#hidden[what] += count;
  }

  /** Says how much was not shown. */
  finish(): void {
    const parts = (Object.keys(nouns) as Noun[]).flatMap((noun) => {
      const count = this.#hidden[noun];
      const [one, many] = nouns[noun];
      return count === 0 ? [] : [`${count.toLocaleString('en')} more ${count === 1 ? one : many}`];
    });
    if (parts.length > 0) this.#say(parts.join(', '));
  }
}
