/** The flag that names the form of a table. */

import { Option } from 'commander';

import { tableFormats } from './columns.js';

export function formatOption(description: string): Option {
  return new Option('--format <form>', `${description}; else ndjson`).choices(tableFormats);
}
