import { createHash, timingSafeEqual } from "node:crypto";

const bearer = "Bearer ";
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Checks whether a text is one of the keys, in constant time. `onKey` is called with each key that was given. */
export function createKeyCheck(
  keys: readonly string[],
  onKey: (key: string) => void = () => {},
): (given: string) => boolean {
  const expected = keys.map((key) => ({ key, hash: digest(key) }));
  return (given) => {
    // Every key is compared, so that the time says nothing about which one it is.
    const givenHash = digest(given);
    const [found] = expected.filter(({ hash }) => timingSafeEqual(givenHash, hash));
    if (found) onKey(found.key);
    return found !== undefined;
  };
}

/**
 * Checks whether a request carries a key of the operator as its bearer token, or several present ones: Prometheus sends the
 * whole setting, a comma list while the key is replaced. The first counts as used, so that the older key's use ends.
 * Without a key every request passes.
 */
export function createOperatorCheck(
  keys: readonly string[],
  onKey: (key: string) => void = () => {},
): (request: Request) => boolean {
  if (keys.length === 0) return () => true;
  const isExpected = createKeyCheck(keys);
  return (request) => {
    const given = request.headers.get("authorization") ?? "";
    if (!given.startsWith(bearer)) return false;
    const parts = given
      .slice(bearer.length)
      .split(",")
      .map((part) => part.trim());
    if (!parts.every(isExpected)) return false;
    onKey(parts[0] ?? "");
    return true;
  };
}
