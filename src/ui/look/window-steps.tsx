/** Buttons that move and zoom the window of a chart without a drag. */

import { moved, zoomed, type TimeStretch } from '../chart/time-scale.js';
import { Step } from './toolbar.js';

const steps = [
  ['earlier', 'Earlier', (window: TimeStretch) => moved(window, -0.5)],
  ['later', 'Later', (window: TimeStretch) => moved(window, 0.5)],
  ['zoomIn', 'Zoom in', (window: TimeStretch) => zoomed(window, 0.5)],
  ['zoomOut', 'Zoom out', (window: TimeStretch) => zoomed(window, 2)],
] as const;

interface StepsOptions {
  readonly window: TimeStretch;
  readonly look: (stretch: TimeStretch) => void;
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
