/**
 * The entries of a list that has some, so that a loop over them asserts something.
 * @throws Error for an empty list
 */
export function filled<T>(list: Iterable<T>): T[] {
  const entries = [...list];
  if (entries.length === 0) throw new Error("The list is empty, so a loop over it asserts nothing");
  return entries;
}
