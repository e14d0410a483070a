/** A button that opens a panel of choices below it, or at the bottom of a narrow screen. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Icon, type IconName } from './icons.js';

import type { ComponentChildren } from 'preact';

interface MenuOptions {
  readonly icon: IconName;
  /** The purpose of the button, for screen readers. */
  readonly name: string;
  /** The current choice, whose parts may stand below each other; undefined: only the icon. */
  readonly shown?: string | readonly string[];
  /** A prefix for a choice that says too little alone. */
  readonly label?: string;
  /** True if the button's function is active. */
  readonly isOn?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ icon, name, shown, label = '', isOn = false, children }: MenuOptions) {
  const parts = shown === undefined ? [] : [shown].flat();
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
        aria-label={shown === undefined ? name : `${name}: ${parts.join(' ')}`}
        title={name}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <Icon name={icon} />
        {shown === undefined ? null : (
          <span class="shown">
            {label}
            {parts.flatMap((part) => [<span key={part}>{part}</span>, ' '])}
          </span>
        )}
      </button>
      {isOpen ? (
        <div class="panel" id={id} role="group" aria-label={name}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}

/** Closes the panel when the focus or a click leaves it. */
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

interface MenuChoiceOptions {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One option of several; exactly one is chosen. */
export function Choice({ isChosen, onChoose, children }: MenuChoiceOptions) {
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

/** All options, in order. */
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
