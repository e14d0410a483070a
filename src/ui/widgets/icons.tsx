/** Icons in the colour of the text. A text always states their meaning. */

const paths = {
  logo: 'M2 14h4l3-8 5 12 3.5-9 1.5 5h3',
  clock: 'M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  live: 'M3 12h4l2.5-6 4.5 12 2.5-6H21',
  globe: 'M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  theme: 'M12 3a9 9 0 1 0 0 18ZM21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  help: 'M9.2 9a2.9 2.9 0 1 1 4.3 2.6c-1 .5-1.5 1.1-1.5 2.2M12 17.2v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  key: 'M13 8a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0ZM11.7 11.2l8.3 8.3M20 19.5l-2.5 2.5M16.5 16l-2.5 2.5',
  search: 'M16 16l5 5M18 10.5a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0Z',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M7 10l5 5 5-5',
  warning: 'M12 4l9 16H3ZM12 10v4M12 17v.1',
  metrics: 'M4 20V4M4 20h16M8 15l3.5-5 3 3L20 7',
  notes: 'M5 21V4h13l-3 4.5 3 4.5H5',
  add: 'M12 5v14M5 12h14',
  compare: 'M4 17l4-6 4 3 8-9M4 21l4-2 4 1 8-5',
  health: 'M12 20s-8-4.7-8-10.6A4.4 4.4 0 0 1 12 7a4.4 4.4 0 0 1 8 2.4C20 15.3 12 20 12 20Z',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM8 8v.1M8 16v.1',
  earlier: 'M14.5 5.5L8 12l6.5 6.5',
  later: 'M9.5 5.5L16 12l-6.5 6.5',
  zoomIn: 'M12 5v14M5 12h14',
  zoomOut: 'M5 12h14',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9v.1',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 15V4M7 8l5-5 5 5M4 20h16',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  axis: 'M7 4v16M4 7l3-3 3 3M4 17l3 3 3-3M14 6h6M14 12h6M14 18h6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  split: 'M4 12h6M10 12c4 0 4-6 10-6M10 12c4 0 4 6 10 6',
  ask: 'M5 7l5 5-5 5M12 18h7',
  run: 'M8 5l11 7-11 7Z',
  boards: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
