/** Where a data directory has its segments: named by their hashes, those of before by numbers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a segment's header has its number. */
const numberOffset = 12;

/** All that are named by their hashes, below the directory. */
export function objectFiles(directory: string): readonly string[] {
  return readdirSync(join(directory, 'objects'))
    .filter((folder) => folder !== 'tmp')
    .flatMap((folder) =>
      readdirSync(join(directory, 'objects', folder)).map((name) => join('objects', folder, name)),
    );
}

/** The file of the segment with that number, below the directory. */
export function segmentFile(directory: string, number: number): string {
  const before = join('segments', `${String(number).padStart(10, '0')}.seg`);
  if (existsSync(join(directory, before))) return before;
  const found = objectFiles(directory).find((file) => {
    const bytes = readFileSync(join(directory, file));
    return bytes.readBigUInt64LE(numberOffset) === BigInt(number);
  });
  if (found === undefined) throw new Error(`there is no segment ${String(number)}`);
  return found;
}
