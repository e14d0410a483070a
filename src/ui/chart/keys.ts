/** The keys of a focused chart. Letters count by their position on the keyboard. */

export type ChartAction =
  | { readonly kind: 'step'; readonly by: number }
  | { readonly kind: 'pan'; readonly part: number }
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'first' | 'last' | 'all' | 'mark' | 'live' | 'zone' | 'leave' };

const byCode: Readonly<Record<string, ChartAction>> = {
  KeyA: { kind: 'pan', part: -0.5 },
  KeyD: { kind: 'pan', part: 0.5 },
  KeyW: { kind: 'zoom', factor: 0.5 },
  KeyS: { kind: 'zoom', factor: 2 },
  KeyM: { kind: 'mark' },
  KeyL: { kind: 'live' },
  KeyZ: { kind: 'zone' },
  Home: { kind: 'first' },
  End: { kind: 'last' },
  Escape: { kind: 'leave' },
};

const byKey: Readonly<Record<string, ChartAction>> = {
  '+': { kind: 'zoom', factor: 0.5 },
  '-': { kind: 'zoom', factor: 2 },
  '0': { kind: 'all' },
};

type ChartKey = Pick<KeyboardEvent, 'code' | 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Null: the chart does not use the key. */
export function actionOf(event: ChartKey): ChartAction | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const size = event.shiftKey ? 10 : 1;
  if (event.code === 'ArrowLeft') return { kind: 'step', by: -size };
  if (event.code === 'ArrowRight') return { kind: 'step', by: size };
  return byCode[event.code] ?? byKey[event.key] ?? null;
}
