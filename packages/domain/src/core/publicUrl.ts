/** An address of this installation: the public one, with or without a slash at its end, and a path that begins with one. */
export const publicUrlOf = (publicUrl: string, path: string): string => `${publicUrl.replace(/\/+$/, "")}${path}`;
