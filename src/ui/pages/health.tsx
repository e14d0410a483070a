/** The page Health: silent series, undocumented metrics and cost. */

import { go, place } from '../location.js';
import { changed } from '../url.js';
import { Tabs } from '../widgets/tabs.js';
import { CostTab } from './health-cost.js';
import { SilentTab } from './health-silent.js';
import { UndocumentedTab } from './health-undocumented.js';

import type { ComponentType } from 'preact';

const tabs = [
  { id: 'silent', title: 'Silent' },
  { id: 'undocumented', title: 'Undocumented' },
  { id: 'cost', title: 'Cost' },
] as const;

const viewOf: Readonly<Record<string, ComponentType>> = {
  silent: SilentTab,
  undocumented: UndocumentedTab,
  cost: CostTab,
};

export function HealthPage() {
  const [, wanted = ''] = place.value.page.split('/');
  const chosen = wanted in viewOf ? wanted : 'silent';
  const View = viewOf[chosen] ?? SilentTab;
  return (
    <>
      <h1>Health</h1>
      <Tabs
        name="Views of health"
        tabs={tabs}
        chosen={chosen}
        choose={(id) => {
          go({ ...changed(place.value, { m: null, k: null }), page: `health/${id}` });
        }}
      >
        <View key={chosen} />
      </Tabs>
    </>
  );
}
