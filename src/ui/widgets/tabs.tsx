/** Tabs of a page; the left and right arrow keys move between them. */

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';

interface Tab {
  readonly id: string;
  readonly title: string;
  /** The shortcut, if there is one. */
  readonly keys?: string;
}

interface TabListOptions {
  readonly name: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly choose: (id: string) => void;
}

interface TabsOptions extends TabListOptions {
  readonly children: ComponentChildren;
}

export function Tabs({ children, ...list }: TabsOptions) {
  return (
    <>
      <TabList {...list} />
      <TabPanel chosen={list.chosen}>{children}</TabPanel>
    </>
  );
}

/** The panel of the chosen tab. */
export function TabPanel({ chosen, children }: Pick<TabsOptions, 'chosen' | 'children'>) {
  return (
    <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
      {children}
    </div>
  );
}

export function TabList({ name, tabs, chosen, choose }: TabListOptions) {
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const way = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = way === undefined ? undefined : tabs[(at + way) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    choose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={name} onKeyDown={move}>
      {tabs.map(({ id, title, keys }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          title={keys}
          aria-selected={id === chosen}
          aria-controls="tab-panel"
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => {
            choose(id);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
