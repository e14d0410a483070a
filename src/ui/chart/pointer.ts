/** Turns mouse, pen and touch input over a plot into wishes. */

export interface PointerWishes {
  /** Pixels from the left and top of the plot; null: the pointer left. */
  readonly point: (at: PointerPoint | null) => void;
  /** The selection in progress; null: it ended. */
  readonly select: (selection: PointerSelection | null) => void;
  /** The distance to the right during a drag, in pixels. */
  readonly pan: (pixels: number) => void;
  /** Zooms about `pixel`, which stays in place. */
  readonly zoom: (factor: number, pixel: number) => void;
  /** Commits a pan or zoom. */
  readonly settle: () => void;
  readonly click: (at: PointerPoint) => void;
  readonly back: () => void;
  /** Two equal pixels mark a point in time. */
  readonly mark: (from: number, to: number) => void;
  readonly zoomTo: (from: number, to: number) => void;
  /** Pixels from the top. */
  readonly zoomValues: (from: number, to: number) => void;
}

interface PointerPoint {
  readonly x: number;
  readonly y: number;
}

export interface PointerSelection {
  readonly from: number;
  readonly to: number;
  readonly kind: 'zoom' | 'mark' | 'values';
}

const kDragPixels = 4;
const kLongPressMs = 600;
const kWheelRestMs = 250;

type Drag = {
  kind: 'zoom' | 'mark' | 'pan' | 'point' | 'values';
  readonly from: PointerPoint;
  isMoved: boolean;
};

/** Returns a function that removes the listeners. */
export function listenToPointer(over: HTMLElement, wishes: PointerWishes): () => void {
  const control = new PointerControl(over, wishes);
  const listeners = {
    pointerdown: control.down,
    pointermove: control.move,
    pointerup: control.up,
    pointercancel: control.drop,
    pointerleave: control.leave,
    wheel: control.wheel,
    dblclick: wishes.back,
  };
  for (const [name, listener] of Object.entries(listeners)) {
    over.addEventListener(name, listener as EventListener, { passive: false });
  }
  return () => {
    control.drop();
    for (const [name, listener] of Object.entries(listeners)) {
      over.removeEventListener(name, listener as EventListener);
    }
  };
}

class PointerControl {
  readonly #over: HTMLElement;
  readonly #wishes: PointerWishes;
  readonly #fingers = new Map<number, PointerPoint>();
  #drag: Drag | null = null;
  #longPress = 0;
  #wheelRest = 0;

  constructor(over: HTMLElement, wishes: PointerWishes) {
    this.#over = over;
    this.#wishes = wishes;
  }

  #at(event: MouseEvent): PointerPoint {
    const { left, top } = this.#over.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  readonly down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const from = this.#at(event);
    this.#over.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') {
      this.#touch(event.pointerId, from);
      return;
    }
    const kind = event.shiftKey ? 'pan' : event.ctrlKey || event.metaKey ? 'mark' : 'zoom';
    this.#drag = { kind, from, isMoved: false };
  };

  #touch(id: number, from: PointerPoint): void {
    this.#fingers.set(id, from);
    clearTimeout(this.#longPress);
    this.#drag = this.#fingers.size === 1 ? { kind: 'point', from, isMoved: false } : null;
    if (this.#fingers.size > 1) return;
    this.#wishes.point(from);
    this.#longPress = window.setTimeout(() => {
      this.#drag = null;
      this.#wishes.mark(from.x, from.x);
    }, kLongPressMs);
  }

  readonly move = (event: PointerEvent): void => {
    const at = this.#at(event);
    if (this.#fingers.size === 2) {
      this.#pinch(event.pointerId, at);
      return;
    }
    const drag = this.#drag;
    if (drag === null || drag.kind === 'point') this.#wishes.point(at);
    if (drag === null) return;
    const [right, down] = [Math.abs(at.x - drag.from.x), Math.abs(at.y - drag.from.y)];
    if (drag.kind === 'pan' && !drag.isMoved && down > right) drag.kind = 'values';
    const isFar = (drag.kind === 'values' ? down : right) > kDragPixels;
    if (isFar) clearTimeout(this.#longPress);
    drag.isMoved ||= isFar;
    if (!drag.isMoved || drag.kind === 'point') return;
    const { kind, from } = drag;
    if (kind === 'pan') this.#wishes.pan(at.x - from.x);
    else if (kind === 'values') this.#wishes.select({ from: from.y, to: at.y, kind });
    else this.#wishes.select({ from: from.x, to: at.x, kind });
  };

  /** The times below both fingers stay below them. */
  #pinch(id: number, at: PointerPoint): void {
    const other = [...this.#fingers].find(([one]) => one !== id)?.[1];
    const before = this.#fingers.get(id);
    if (other === undefined || before === undefined) return;
    const apart = Math.max(10, Math.abs(before.x - other.x));
    const now = Math.max(10, Math.abs(at.x - other.x));
    this.#fingers.set(id, at);
    this.#wishes.zoom(apart / now, other.x);
  }

  readonly up = (event: PointerEvent): void => {
    clearTimeout(this.#longPress);
    const wasPinch = this.#fingers.size === 2;
    this.#fingers.delete(event.pointerId);
    const drag = this.#drag;
    this.#drag = null;
    if (wasPinch) this.#wishes.settle();
    if (drag === null || wasPinch) return;
    const at = this.#at(event);
    this.#wishes.select(null);
    if (!drag.isMoved) this.#wishes.click(at);
    else if (drag.kind === 'pan') this.#wishes.settle();
    else if (drag.kind === 'mark') this.#wishes.mark(drag.from.x, at.x);
    else if (drag.kind === 'values') this.#wishes.zoomValues(drag.from.y, at.y);
    else if (drag.kind === 'zoom') this.#wishes.zoomTo(drag.from.x, at.x);
  };

  readonly drop = (): void => {
    clearTimeout(this.#longPress);
    this.#fingers.clear();
    if (this.#drag !== null) this.#wishes.select(null);
    this.#drag = null;
  };

  readonly leave = (event: PointerEvent): void => {
    if (event.pointerType !== 'touch') this.#wishes.point(null);
  };

  /** Only Ctrl or Cmd with the wheel zooms; the bare wheel scrolls the page. */
  readonly wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#wishes.zoom(2 ** (event.deltaY / 300), this.#at(event).x);
    clearTimeout(this.#wheelRest);
    this.#wheelRest = window.setTimeout(this.#wishes.settle, kWheelRestMs);
  };
}
