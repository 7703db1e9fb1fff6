/** The keys of a record, in its order. Its type has to name all of them: an object may have more properties than its type. */
export const keysOf = <T extends object>(record: T): Extract<keyof T, string>[] =>
  Object.keys(record) as Extract<keyof T, string>[];
