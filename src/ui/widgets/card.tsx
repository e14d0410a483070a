/** A card of figures, with warnings. */

import type { ComponentChildren } from 'preact';

interface CardOptions {
  readonly title: string;
  /** Sentences about problems. */
  readonly signs?: readonly string[];
  readonly children: ComponentChildren;
}

export function Card({ title, signs = [], children }: CardOptions) {
  return (
    <section class={signs.length === 0 ? 'card' : 'card watched'} aria-label={title}>
      <h2>
        {title}
        {signs.length === 0 ? null : <span class="badge bad">▲ watch</span>}
      </h2>
      {signs.map((sign) => (
        <p class="sign" key={sign}>
          {sign}
        </p>
      ))}
      {children}
    </section>
  );
}

export function Facts({ facts }: { readonly facts: readonly (readonly [string, string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
