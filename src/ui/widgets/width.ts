/** How wide a part of the page is, whatever changes it. */

import { useEffect, useState } from 'preact/hooks';

/** Pixels; 0 before it was drawn. */
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
