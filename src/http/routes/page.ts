/**
 * The built-in page. It contains no data of the database, so it needs no token and other sites may
 * link to it. Its data comes from the API.
 */

import { AppError } from '../../common/errors/app-error.js';

import { parameter, querySchema } from '../fields/query-schema.js';
import { formHeaders, pageCodings, type PageFile } from '../page/page-files.js';
import { acceptedCoding } from '../route/accepted-coding.js';
import { publicRoute } from './public-route.js';

import type { Reply } from '../route/reply.js';
import type { Request } from '../route/request.js';

type PageHeaders = NonNullable<Reply['headers']>;

/** Content security policy: only files of this server may run, load or be requested. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const guarding: PageHeaders = [
  ['content-security-policy', policy],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['vary', 'Accept-Encoding'],
];

/** A file name with a hash may be cached for ever; other files are revalidated by tag. */
const kForEver = 'public, max-age=31536000, immutable';
const kCompared = 'no-cache';

export const page = publicRoute({
  method: 'GET',
  path: '/',
  scope: 'public',
  isCentral: true,
  isLinked: true,
  tag: 'operate',
  summary: 'The built-in page; 404 with `ui = false`.',
  answer: { purpose: 'The page, which loads the files below.', mediaType: 'text/html' },
  refusal: { status: 304, purpose: 'Unchanged: `If-None-Match` names this version.' },
  errors: ['not_found'],
  example: { answer: '<!doctype html>\n', isSketch: true },
  handler: ({ request }, context) => {
    if (context.page === null) throw new AppError('not_found', 'this server has no page');
    return fileReply(context.page.page, request.head);
  },
});

export const pageFile = publicRoute({
  method: 'GET',
  path: '/ui/{name}',
  scope: 'public',
  isCentral: true,
  tag: 'operate',
  summary:
    'A file of the built-in page or a page of the documentation; file names of other builds are 404.',
  query: querySchema({
    name: parameter.text('File name as in the page: with a part of its hash, or `docs.NAME.html`.'),
  }),
  answer: {
    purpose: 'The file.',
    mediaType: 'text/plain',
    otherMediaTypes: ['text/html', 'text/javascript', 'text/css', 'image/svg+xml'],
  },
  refusal: { status: 304, purpose: 'Unchanged: `If-None-Match` names this version.' },
  errors: ['not_found'],
  example: { query: { name: 'licenses.txt' }, answer: 'preact\n', isSketch: true },
  handler: ({ query, request }, context) => {
    const file = context.page?.file(query.name ?? '');
    if (file === undefined) throw new AppError('not_found', 'the page has no such file');
    return fileReply(file, request.head);
  },
});

function fileReply(file: PageFile, { acceptEncoding, ifNoneMatch }: Request['head']): Reply {
  const { contentType, forms, isNamedByHash } = file;
  const offered = pageCodings.filter((coding) => forms.has(coding));
  const coding = acceptedCoding(acceptEncoding ?? '', offered) ?? 'identity';
  const form = forms.get(coding);
  if (form === undefined) throw new Error(`a file of the page is not there as ${coding}`);
  const headers: PageHeaders = [
    ...guarding,
    ['cache-control', isNamedByHash ? kForEver : kCompared],
    ['etag', form.tag],
  ];
  if (isNamed(form.tag, ifNoneMatch)) return { status: 304, contentType: '', headers, body: '' };
  return {
    status: 200,
    contentType,
    headers: [...headers, ...formHeaders(coding)],
    body: form.bytes,
  };
}

/** Weak tags match, too (RFC 9110, 13.1.2): a compressing proxy weakens ours. */
function isNamed(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const named = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return named.includes(tag) || named.includes('*');
}
