import { extremeOf } from '../of-choices.js';
import { heldType, NotLowered } from '../lowering.js';
import { defineScalar } from '../scalar-function.js';

const atLeast = extremeOf(1);
const atMost = extremeOf(-1);

export const clamp = defineScalar({
  name: 'clamp',
  documentation: {
    sentence: 'The number, or the bound that it exceeds; `high` if the bounds cross.',
    example: 'select clamp(value, 20.5, 22) from temp where time >= 0',
    answer: '20.5, 21, 22',
  },
  parameters: [
    { name: 'x', kind: 'number' },
    { name: 'low', kind: 'number' },
    { name: 'high', kind: 'number' },
  ],
  result: 'shared',
  mayBeNull: true,
  comparesArguments: true,
  evaluate: ([x = null, low = null, high = null], tools) => {
    if (x === null || low === null || high === null) return null;
    return atMost([atLeast([x, low], tools), high], tools);
  },
  lower: ({ args, type }, to) => {
    const shared = heldType(type);
    if (shared === null) throw new NotLowered();
    if (args.some(({ isNull }) => isNull)) return to.null(shared);
    const registers = args.map((arg) => arg.register(shared));
    const bounded = registers.reduce((left, right, at) =>
      to.step(at === 1 ? 'greatest' : 'least', left.type, [left.at, right.at]),
    );
    // Those steps skip nulls.
    return registers.reduce((result, { at }) => {
      const isMissing = to.step('isNull', 'boolean', [at]);
      return to.select(isMissing, to.null(result.type), result);
    }, bounded);
  },
});
