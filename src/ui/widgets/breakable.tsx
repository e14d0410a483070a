/** A name that may break after its dots, dashes and slashes instead of within a word. */

import { Fragment } from 'preact';

export function Breakable({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(?<=[./:_-])(?=[^./:_-])/).map((part, at) => (
        <Fragment key={at}>
          {at === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
