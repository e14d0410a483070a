/** Tracks the width of an element. */

import { useEffect, useState } from 'preact/hooks';

/** In pixels; 0 before the element is rendered. */
export function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      setWidth(current.clientWidth);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, [place]);
  return width;
}
