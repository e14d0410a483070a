/** The flag that selects the format of a table. */

import { Option } from 'commander';

import { tableFormats } from './table-format.js';

export function formatOption(description: string): Option {
  return new Option('--format <form>', `${description}; else ndjson`).choices(tableFormats);
}
