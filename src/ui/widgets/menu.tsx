/** A button with a panel of choices below it; on a narrow screen the panel stands at the bottom. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Icon, type IconName } from './icons.js';

import type { ComponentChildren } from 'preact';

interface MenuOptions {
  readonly icon: IconName;
  /** What the button is for, before what it says now. */
  readonly name: string;
  /** What is chosen now; nothing: only the drawing is shown. */
  readonly shown?: string;
  /** Stands before it, where it says too little alone. */
  readonly label?: string;
  /** It is at work. */
  readonly isOn?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ icon, name, shown, label = '', isOn = false, children }: MenuOptions) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useLeaving(place, isOpen, setOpen);
  return (
    <div
      class="menu"
      ref={place}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen) close();
      }}
    >
      <button
        ref={button}
        type="button"
        class={isOn ? 'tool on' : 'tool'}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={shown === undefined ? name : `${name}: ${shown}`}
        title={name}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <Icon name={icon} />
        {shown === undefined ? null : <span class="shown">{label + shown}</span>}
      </button>
      {isOpen ? (
        <div class="panel" id={id} role="group" aria-label={name}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}

/** Who goes elsewhere wants the panel no longer. */
function useLeaving(
  place: { readonly current: HTMLElement | null },
  isOpen: boolean,
  setOpen: (isOpen: boolean) => void,
): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: Event): void => {
      if (event.target instanceof Node && place.current?.contains(event.target) === true) return;
      setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [place, isOpen, setOpen]);
}

interface ChoiceOptions {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One of several, of which one holds. */
export function Choice({ isChosen, onChoose, children }: ChoiceOptions) {
  return (
    <button type="button" class="choice" aria-pressed={isChosen} onClick={onChoose}>
      <span class="mark">{isChosen ? <Icon name="check" /> : null}</span>
      <span>{children}</span>
    </button>
  );
}

interface ChoicesOptions<One> {
  readonly of: readonly One[];
  readonly chosen: One;
  readonly choose: (one: One) => void;
  readonly wordsOf: (one: One) => ComponentChildren;
}

/** All of them, in their order. */
export function Choices<One extends string | null>(options: ChoicesOptions<One>) {
  const { of, chosen, choose, wordsOf } = options;
  return (
    <>
      {of.map((one) => (
        <Choice
          key={one}
          isChosen={one === chosen}
          onChoose={() => {
            choose(one);
          }}
        >
          {wordsOf(one)}
        </Choice>
      ))}
    </>
  );
}
