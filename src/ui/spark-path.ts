/** The line of a sparkline: values at equal distances, the highest at the top. */

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
