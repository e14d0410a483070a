/** The path of a sparkline: values at equal distances, the largest at the top. */

interface Box {
  readonly width: number;
  readonly height: number;
}

export function sparkPath(values: readonly number[], { width, height }: Box): string {
  const most = Math.max(...values, 0);
  const steps = Math.max(1, values.length - 1);
  return values
    .map((value, at) => {
      const x = (width * at) / steps;
      const y = most === 0 ? height : height - (height * Math.max(0, value)) / most;
      return `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

/** Values up to this many steps apart are joined, so that infrequent writers have a line too. */
const kJoinedSteps = 3;

/** Scaled between the smallest and the largest value, and split at gaps. */
export function spreadPath(values: readonly (number | null)[], { width, height }: Box): string {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const steps = Math.max(1, values.length - 1);
  let path = '';
  let before = -Infinity;
  values.forEach((value, at) => {
    if (value === null) return;
    const x = (width * at) / steps;
    const y = high === low ? height / 2 : height * (1 - (value - low) / (high - low));
    path += `${at - before > kJoinedSteps ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    before = at;
  });
  return path;
}
