/**
 * Marks better-sqlite3 in a lockfile as needing no compiler.
 *
 * The package says so itself (`"gypfile": false`, its binaries are inside), but npm leaves that field out of the
 * lockfile, and `npm ci`, which reads only the lockfile, would then run node-gyp: that fails on a machine without
 * Python and a compiler. Both npm 10 and 11 heed the field when it is there.
 *
 * @returns The same text when nothing was missing.
 */
export function withPrebuiltDatabase(lockfile: string): string {
  return lockfile.replace(
    /("node_modules\/better-sqlite3": \{\n)(\s+)(?!\s*"gypfile")/,
    '$1$2"gypfile": false,\n$2',
  );
}
