/**
 * The request's URL under a fixed host. The `Host` header may be missing or invalid, and nothing here depends on it.
 */
export const urlOf = ({ url }: Request): URL => new URL(`http://localhost${url.replace(/^https?:\/\/[^/?#]*/i, "")}`);
