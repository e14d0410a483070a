/** The web interface of seriesdb. */

import { render } from 'preact';

import { askStatus } from './data/server.js';
import { findToken } from './data/token.js';
import { Frame } from './frame.js';
import { followAddress } from './location.js';
import { applyTheme } from './preferences.js';

applyTheme();
followAddress();
findToken();
// Sets the unit of all times. The frame reports a missing answer.
askStatus().catch(() => undefined);
const root = document.querySelector('#page');
if (root !== null) render(<Frame />, root);
