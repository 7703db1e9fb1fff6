/**
 * Where a request goes, under a host of our own: what its `Host` header says need not be there, nor be a host, and nothing
 * here depends on it.
 */
export const urlOf = ({ url }: Request): URL => new URL(`http://localhost${url.replace(/^https?:\/\/[^/?#]*/i, "")}`);
