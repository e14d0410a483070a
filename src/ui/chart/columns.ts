/** The width of a chart. */

import { useEffect, useState } from 'preact/hooks';

/**
 * The chart's width in pixels, in steps of 80, so that resizing the browser window causes few
 * requests.
 */
export function useColumns(): number {
  const [columns, setColumns] = useState(columnsNow);
  useEffect(() => {
    const measure = (): void => {
      setColumns(columnsNow());
    };
    addEventListener('resize', measure);
    return () => {
      removeEventListener('resize', measure);
    };
  }, []);
  return columns;
}

const columnsNow = (): number =>
  Math.max(240, Math.floor((Math.min(innerWidth, 1280) - 120) / 80) * 80);
