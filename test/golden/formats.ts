/** The formats of which directories are kept, and what is new in some of them. */

/** The folders that there are. They cannot be made again, so that one is only ever added. */
export const keptFormats: readonly number[] = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14];

/** The first whose directories of segments have pages. */
export const pageFormat = 4;
/** The first that retention wrote in. */
export const retentionFormat = 7;
/** The first with merged segments. */
export const mergeFormat = 8;
/** The first with commits. */
export const commitFormat = 9;
/** The first whose ROOT says what it takes to open a directory. */
export const featureFormat = 10;
/** The first in which series may be gone. */
export const renewedFormat = 11;
/** The first in which notes may be changed and deleted. */
export const changeFormat = 12;
/** The first with chunks in which what is no number stands among decimals. */
export const specialFormat = 13;
