/** Buttons that move and zoom the window of a chart without a drag. */

import { moved, zoomed, type Stretch } from '../chart/time-scale.js';
import { Step } from './toolbar.js';

const steps = [
  ['earlier', 'Earlier', (window: Stretch) => moved(window, -0.5)],
  ['later', 'Later', (window: Stretch) => moved(window, 0.5)],
  ['zoomIn', 'Zoom in', (window: Stretch) => zoomed(window, 0.5)],
  ['zoomOut', 'Zoom out', (window: Stretch) => zoomed(window, 2)],
] as const;

interface StepsOptions {
  readonly window: Stretch;
  readonly look: (stretch: Stretch) => void;
}

export function WindowSteps({ window, look }: StepsOptions) {
  return (
    <>
      {steps.map(([icon, name, next]) => (
        <Step
          key={name}
          {...{ icon, name }}
          onClick={() => {
            look(next(window));
          }}
        />
      ))}
    </>
  );
}
