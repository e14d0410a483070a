/** Explores the states that a model reaches, breadth first, up to the first violation. */

/** A state that one step leads to, and the step in words. */
export type Step<State> = readonly [label: string, state: State];

export interface Violation<Kind extends string> {
  readonly kind: Kind;
  readonly what: string;
}

/** `label` is the step that led to the state. */
export type Situation<State> = (state: State, label: string) => boolean;

/** The JSON values of a state. A state is a type alias: an interface has no index signature. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A step never changes its state: it makes a new one that shares the unchanged fields. Two states
 * are equal if all their fields are.
 */
export interface Model<State extends Fields, Kind extends string> {
  readonly start: State;
  readonly stepsOf: (state: State) => readonly Step<State>[];
  readonly violationOf: (state: State) => Violation<Kind> | null;
  /** Situations that a search must meet, so that it proves something about them. */
  readonly situations?: Readonly<Record<string, Situation<State>>>;
}

export interface Exploration<Kind extends string> {
  /** Null: no reachable state violates a rule. */
  readonly violation: Violation<Kind> | null;
  /** The steps to the violation: no shorter path leads to one. */
  readonly path: readonly string[];
  readonly stateCount: number;
  /** The situations of the model that the search did not meet. */
  readonly unmet: readonly string[];
}

/** A model that runs away fails here, not at the memory limit. */
const stateLimit = 1_000_000;

interface Visit<State> {
  readonly state: State;
  readonly trail: Trail | null;
}

/** Outlives the state, which the search drops as soon as its steps are known. */
interface Trail {
  readonly label: string;
  readonly before: Trail | null;
}

export function explore<State extends Fields, Kind extends string>(
  model: Model<State, Kind>,
): Exploration<Kind> {
  const visited = new VisitedStates();
  const unmet = new Map(Object.entries(model.situations ?? {}));
  const end = (violation: Violation<Kind> | null, trail: Trail | null): Exploration<Kind> => {
    return { violation, path: labelsOf(trail), stateCount: visited.size, unmet: [...unmet.keys()] };
  };
  visited.add(model.start);
  let layer: Visit<State>[] = [{ state: model.start, trail: null }];
  while (layer.length > 0) {
    const next: Visit<State>[] = [];
    for (const { state, trail } of layer) {
      for (const [label, reached] of model.stepsOf(state)) {
        if (!visited.add(reached)) continue;
        const reachedTrail = { label, before: trail };
        const violation = model.violationOf(reached);
        if (violation !== null) return end(violation, reachedTrail);
        for (const [name, isMet] of unmet) if (isMet(reached, label)) unmet.delete(name);
        next.push({ state: reached, trail: reachedTrail });
      }
    }
    if (visited.size > stateLimit) throw new Error(`The model has over ${stateLimit} states`);
    layer = next;
  }
  return end(null, null);
}

function labelsOf(trail: Trail | null): string[] {
  const labels: string[] = [];
  for (let at = trail; at !== null; at = at.before) labels.push(at.label);
  return labels.reverse();
}

/**
 * Numbers each distinct field value once. The key of a state is the numbers of its fields. Equal
 * values become one object, so that the map finds them without writing them as JSON again.
 */
class VisitedStates {
  readonly #keys = new Set<string>();
  readonly #numberOfText = new Map<string, number>();
  readonly #numberOfValue = new Map<object, number>();
  readonly #values: object[] = [];

  get size(): number {
    return this.#keys.size;
  }

  /** Returns false if the state is known. */
  add(state: Record<string, unknown>): boolean {
    let key = '';
    for (const name in state) {
      const value = state[name];
      if (typeof value === 'object' && value !== null) {
        let number = this.#numberOfValue.get(value);
        if (number === undefined) {
          number = this.#numberOf(value);
          state[name] = this.#values[number];
        }
        key += `${number},`;
      } else {
        key += typeof value === 'string' ? JSON.stringify(value) : `${String(value)};`;
      }
    }
    const before = this.#keys.size;
    return this.#keys.add(key).size > before;
  }

  #numberOf(value: object): number {
    const text = JSON.stringify(value);
    let number = this.#numberOfText.get(text);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numberOfText.set(text, number);
      this.#numberOfValue.set(value, number);
    }
    return number;
  }
}
