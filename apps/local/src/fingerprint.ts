/** Names a cached file by what it was made from: 16 hex digits, other ones for other content. */
export const fingerprint = (content: unknown): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
