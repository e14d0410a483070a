/** What an object store answers, and the few elements of its XML that are read. */

export interface StoreAnswer {
  /** Of HTTP; 0: nothing is known of the request, which may have been carried out. */
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The store's own code of a refusal, such as `NoSuchKey`; '' if it gave none. */
  readonly code: string;
  /** Why a request failed, for people; '' if it did not. */
  readonly reason: string;
  /** From the first byte sent to the last one received. */
  readonly ms: number;
}

export const isDone = ({ status }: StoreAnswer): boolean => status >= 200 && status < 300;

/** The store refused a create because the key is taken, or is being taken. */
export const isTaken = ({ status }: StoreAnswer): boolean => status === 412 || status === 409;

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
};

function unescaped(text: string): string {
  return text.replace(/&(?:#(x?)([0-9a-f]{1,7})|(\w{2,4}));/gi, (whole: string, ...found) => {
    const [hex, digits, name] = found as (string | undefined)[];
    if (name !== undefined) return entities[name] ?? whole;
    const code = Number.parseInt(digits ?? '', hex === '' ? 10 : 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** The texts of all elements of that name, in order. Elements inside them are not expected. */
export function elementTexts(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]*)</${name}>`, 'g'));
  return [...found].map(([, text = '']) => unescaped(text));
}

/** The code and the message of a refusal; empty texts if the body is something else. */
export function refusalOf(body: Buffer): { readonly code: string; readonly message: string } {
  const xml = body.toString('utf8');
  const [code = ''] = elementTexts(xml, 'Code');
  const [message = ''] = elementTexts(xml, 'Message');
  return { code, message };
}
