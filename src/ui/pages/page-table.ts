/** The table of pages: a new page is a file in this folder and a row here. */

import type { IconName } from '../widgets/icons.js';
import type { ComponentType } from 'preact';

export interface PageRow {
  /** The path in the address, after `#/`. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** The shortcut: `g`, then this letter. */
  readonly letter: string;
  /** True if the page works without a token. */
  readonly isOpen: boolean;
  /** The tools of the head that affect the page. */
  readonly tools: readonly ('time' | 'live')[];
  /** The parent page; the page then has no link of its own. */
  readonly under?: string;
  readonly load: () => Promise<ComponentType>;
}

export const pageRows: readonly PageRow[] = [
  {
    path: '',
    title: 'Metrics',
    icon: 'metrics',
    letter: 'm',
    isOpen: false,
    tools: ['time', 'live'],
    load: async () => {
      const { MetricsPage } = await import('./metrics.js');
      return MetricsPage;
    },
  },
  {
    path: 'look',
    title: 'Look',
    icon: 'metrics',
    letter: '',
    isOpen: false,
    tools: ['time', 'live'],
    under: '',
    load: async () => {
      const { LookPage } = await import('./look.js');
      return LookPage;
    },
  },
  {
    path: 'load',
    title: 'Load a file',
    icon: 'metrics',
    letter: '',
    isOpen: false,
    tools: [],
    under: '',
    load: async () => {
      const { LoadPage } = await import('./load.js');
      return LoadPage;
    },
  },
  {
    path: 'ask',
    title: 'Ask',
    icon: 'ask',
    letter: 'a',
    isOpen: false,
    tools: ['time'],
    load: async () => {
      const { AskPage } = await import('./ask.js');
      return AskPage;
    },
  },
  {
    path: 'boards',
    title: 'Boards',
    icon: 'boards',
    letter: 'b',
    isOpen: false,
    tools: ['time', 'live'],
    load: async () => {
      const { BoardsPage } = await import('./boards.js');
      return BoardsPage;
    },
  },
  {
    path: 'notes',
    title: 'Notes',
    icon: 'notes',
    letter: 'n',
    isOpen: false,
    tools: ['time', 'live'],
    load: async () => {
      const { NotesPage } = await import('./notes.js');
      return NotesPage;
    },
  },
  {
    path: 'compare',
    title: 'Compare',
    icon: 'compare',
    letter: 'c',
    isOpen: false,
    tools: ['time', 'live'],
    load: async () => {
      const { ComparePage } = await import('./compare.js');
      return ComparePage;
    },
  },
  {
    path: 'health',
    title: 'Health',
    icon: 'health',
    letter: 'h',
    isOpen: false,
    tools: [],
    load: async () => {
      const { HealthPage } = await import('./health.js');
      return HealthPage;
    },
  },
  {
    path: 'server',
    title: 'Server',
    icon: 'server',
    letter: 's',
    isOpen: true,
    tools: [],
    load: async () => {
      const { ServerPage } = await import('./server.js');
      return ServerPage;
    },
  },
];

/** The pages with a link in the head. */
export const linkedRows = pageRows.filter((row) => row.under === undefined);

/** The page of the path's first part; undefined: there is none. */
export function pageOf(path: string): PageRow | undefined {
  const [first] = path.split('/');
  return pageRows.find((row) => row.path === first);
}
