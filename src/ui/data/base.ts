/** Where the server is: where this page came from, below the path that a proxy may have put it. */

const base = new URL('.', document.baseURI);

/** Without a slash at its end. */
export const baseUrl = base.origin + base.pathname.replace(/\/$/, '');
export const basePath = base.pathname;

/** What is sent can be read on its way. */
export const isReadableOnTheWay =
  base.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname);
