/** Links to the pages of docs/, which the server serves beside this one. */

import type { ComponentChildren } from 'preact';

export const docsLinks = [
  ['README', 'All pages'],
  ['seriesql', 'SeriesQL'],
  ['promql', 'PromQL'],
  ['ui', 'This page'],
  ['http-api', 'HTTP API'],
] as const;

interface LinkOptions {
  readonly name: (typeof docsLinks)[number][0];
  readonly children: ComponentChildren;
}

/** Opens in a new tab, so that typed text stays. */
export function DocsLink({ name, children }: LinkOptions) {
  return (
    <a href={`ui/docs.${name}.html`} target="_blank" rel="noopener">
      {children}
    </a>
  );
}
