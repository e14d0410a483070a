/** Paths of a data directory's segments: named by hash, older ones by number. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The offset of the number in a segment's header. */
const numberOffset = 12;

/** All files named by hash, relative to the directory. */
export function objectFiles(directory: string): readonly string[] {
  return readdirSync(join(directory, 'objects'))
    .filter((folder) => folder !== 'tmp')
    .flatMap((folder) =>
      readdirSync(join(directory, 'objects', folder)).map((name) => join('objects', folder, name)),
    );
}

/** The file of the segment with that number, relative to the directory. */
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
