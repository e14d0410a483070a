/** The built-in page of seriesdb. */

import { render } from 'preact';

import { askStatus } from './data/server.js';
import { findToken } from './data/token.js';
import { Frame } from './frame.js';
import { followAddress } from './location.js';
import { applyTheme } from './preferences.js';

applyTheme();
followAddress();
findToken();
// The unit of all times; that there is no answer the frame tells.
askStatus().catch(() => undefined);
const root = document.querySelector('#page');
if (root !== null) render(<Frame />, root);
