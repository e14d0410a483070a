/** Every page: a new one is a file in this folder and a row here. */

import type { IconName } from '../widgets/icons.js';
import type { ComponentType } from 'preact';

export interface PageRow {
  /** In the address, behind `#/`. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** Opens it, after `g`. */
  readonly letter: string;
  /** What it shows is had without a token. */
  readonly isOpen: boolean;
  /** Of the tools in the head, those that it heeds. */
  readonly tools: readonly ('time' | 'live')[];
  /** It is a part of this page, and has no link of its own. */
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

/** Those that stand in the head. */
export const linkedRows = pageRows.filter((row) => row.under === undefined);

/** The page of an address: that of its first part; undefined: there is none. */
export function pageOf(path: string): PageRow | undefined {
  const [first] = path.split('/');
  return pageRows.find((row) => row.path === first);
}
