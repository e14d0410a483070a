// Made from the files in scalar/ by scripts/function-tables.mjs; only the order is yours.

import { abs } from './scalar/abs.js';
import { ceil } from './scalar/ceil.js';
import { clamp } from './scalar/clamp.js';
import { coalesce } from './scalar/coalesce.js';
import { concat } from './scalar/concat.js';
import { exp } from './scalar/exp.js';
import { floor } from './scalar/floor.js';
import { greatest } from './scalar/greatest.js';
import { least } from './scalar/least.js';
import { length } from './scalar/length.js';
import { ln } from './scalar/ln.js';
import { log10 } from './scalar/log10.js';
import { log2 } from './scalar/log2.js';
import { lower } from './scalar/lower.js';
import { mod } from './scalar/mod.js';
import { nullif } from './scalar/nullif.js';
import { pow } from './scalar/pow.js';
import { regexpExtract } from './scalar/regexp-extract.js';
import { replace } from './scalar/replace.js';
import { round } from './scalar/round.js';
import { sign } from './scalar/sign.js';
import { sqrt } from './scalar/sqrt.js';
import { substr } from './scalar/substr.js';
import { trunc } from './scalar/trunc.js';
import { upper } from './scalar/upper.js';

import type { ScalarFunction } from './scalar-function.js';

const table = {
  abs,
  ceil,
  floor,
  trunc,
  sign,
  round,
  sqrt,
  exp,
  ln,
  log10,
  log2,
  pow,
  greatest,
  least,
  coalesce,
  nullif,
  lower,
  upper,
  concat,
  substr,
  length,
  replace,
  regexp_extract: regexpExtract,
  mod,
  clamp,
};

export type ScalarName = keyof typeof table;

/** Each under the name that its file has. */
export const scalarFunctions: {
  readonly [Name in ScalarName]: ScalarFunction<Name>;
} = table;
