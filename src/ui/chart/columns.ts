/** How much room a chart has. */

import { useEffect, useState } from 'preact/hooks';

/** Pixels of a chart from left to right, in steps: a window that is pulled asks for nothing new. */
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
