/**
 * The steps of one query, each with its rows and its own time, for EXPLAIN ANALYZE. Other queries
 * record no steps and pay nothing.
 */

/** In the order of work. If an engine does several at once, it counts them under the last one. */
export const operatorNames = [
  'select series',
  'scan',
  'filter',
  'windows',
  'group',
  'fill',
  'having',
  'order',
  'limit',
  'project',
] as const;
export type OperatorName = (typeof operatorNames)[number];

interface OperatorCounter {
  readonly name: OperatorName;
  rowsOut: number;
  /** Excludes the time of the steps that it waits for. */
  elapsedMs: number;
}

export class OperatorCounters {
  readonly #counters = new Map<OperatorName, OperatorCounter>();
  /** Steps that wait for one another. The innermost, running one is last. */
  readonly #open: OperatorCounter[] = [];
  #since = 0;

  /** The steps that ran, in the order of work. */
  list(): readonly OperatorCounter[] {
    return operatorNames.flatMap((name) => this.#counters.get(name) ?? []);
  }

  find(name: OperatorName): OperatorCounter | undefined {
    return this.#counters.get(name);
  }

  enter(name: OperatorName): void {
    this.#charge();
    const known = this.#counters.get(name);
    const counter = known ?? { name, rowsOut: 0, elapsedMs: 0 };
    if (known === undefined) this.#counters.set(name, counter);
    this.#open.push(counter);
  }

  /** Ends the step that was entered last. */
  leave(rowsOut: number): void {
    this.#charge();
    const counter = this.#open.pop();
    if (counter !== undefined) counter.rowsOut += rowsOut;
  }

  /** Moves a finished part of the running step to another step. */
  attribute(name: OperatorName, { rowsOut, elapsedMs }: Omit<OperatorCounter, 'name'>): void {
    this.enter(name);
    const part = this.#open.pop();
    const whole = this.#open.at(-1);
    if (part === undefined || whole === undefined) return;
    part.rowsOut += rowsOut;
    part.elapsedMs += elapsedMs;
    whole.elapsedMs -= elapsedMs;
  }

  #charge(): void {
    const now = performance.now();
    const working = this.#open.at(-1);
    if (working !== undefined) working.elapsedMs += now - this.#since;
    this.#since = now;
  }
}

/** Runs `work` as one step. */
export async function asStep<Result>(
  operators: OperatorCounters | null,
  name: OperatorName,
  how: { readonly work: () => Promise<Result>; readonly rowsOf: (result: Result) => number },
): Promise<Result> {
  if (operators === null) return how.work();
  operators.enter(name);
  let rows = 0;
  try {
    const result = await how.work();
    rows = how.rowsOf(result);
    return result;
  } finally {
    operators.leave(rows);
  }
}

/** The batches of `input`, counted as one step. */
export function stepOf<Batch extends { readonly length: number }>(
  operators: OperatorCounters | null,
  name: OperatorName,
  input: AsyncGenerator<Batch>,
): AsyncGenerator<Batch> {
  return operators === null ? input : countedBatches(operators, name, input);
}

async function* countedBatches<Batch extends { readonly length: number }>(
  operators: OperatorCounters,
  name: OperatorName,
  input: AsyncGenerator<Batch>,
): AsyncGenerator<Batch> {
  const how = {
    work: () => input.next(),
    rowsOf: (step: IteratorResult<Batch>) => (step.done === true ? 0 : step.value.length),
  };
  try {
    for (;;) {
      const step = await asStep(operators, name, how);
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await input.return(undefined);
  }
}

/** Milliseconds, rounded to the microsecond as in answers. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
