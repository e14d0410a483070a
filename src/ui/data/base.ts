/** The server's address: the origin of this page, and the path of a proxy if there is one. */

const base = new URL('.', document.baseURI);

/** Without a trailing slash. */
export const baseUrl = base.origin + base.pathname.replace(/\/$/, '');
export const basePath = base.pathname;

/** True if requests travel unencrypted over a network. */
export const isReadableOnTheWay =
  base.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname);
