/** The frame of a result: a summary line and the views. */

import { useLayoutEffect, useState } from 'preact/hooks';

import { AddToBoard } from '../widgets/add-to-board.js';
import { TabList, TabPanel } from '../widgets/tabs.js';

import type { ComponentChildren } from 'preact';

export interface View {
  readonly id: string;
  readonly title: string;
  readonly show: () => ComponentChildren;
}

interface FrameOptions {
  readonly views: readonly [View, ...View[]];
  readonly summary: string;
  /** The id of the view shown until the user chooses one. */
  readonly usual?: string;
  /** True if the next answer is pending or failed. */
  readonly isStale: boolean;
  /** Shown above every view. */
  readonly children: ComponentChildren;
}

interface FrameChoice {
  readonly id: string;
  readonly usual: string | undefined;
}

export function ResultFrame({ views, summary, usual, isStale, children }: FrameOptions) {
  const [choice, setChoice] = useState<FrameChoice | null>(null);
  const choose = (id: string): void => {
    setChoice({ id, usual });
  };
  // A choice holds for answers of its kind only.
  const wanted = choice !== null && choice.usual === usual ? choice.id : usual;
  const shown = views.find(({ id }) => id === wanted) ?? views[0];
  useDigits(views, choose);
  const tabs = views.map(({ id, title }, at) => ({ id, title, keys: `Alt+${at + 1}` }));
  return (
    <section class={isStale ? 'result stale' : 'result'} aria-label="Result">
      <div class="result-head">
        <p class="summary">{summary}</p>
        <AddToBoard />
        <TabList name="Views of the result" chosen={shown.id} {...{ tabs, choose }} />
      </div>
      {children}
      <TabPanel chosen={shown.id}>{shown.show()}</TabPanel>
    </section>
  );
}

/** Alt and a digit opens a view from anywhere on the page. */
function useDigits(views: readonly View[], choose: (id: string) => void): void {
  // A layout effect: no key can arrive before the new views are registered.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const digit = /^Digit([1-4])$/.exec(event.code)?.[1];
      const wanted = event.altKey && digit !== undefined ? views[Number(digit) - 1] : undefined;
      if (wanted === undefined) return;
      event.preventDefault();
      choose(wanted.id);
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  });
}
