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

/** Checks whether a request carries a key of the operator as its bearer token. Without a key every request passes. */
export function createOperatorCheck(
  keys: readonly string[],
  onKey?: (key: string) => void,
): (request: Request) => boolean {
  if (keys.length === 0) return () => true;
  const isExpected = createKeyCheck(keys, onKey);
  return (request) => {
    const given = request.headers.get("authorization") ?? "";
    return given.startsWith(bearer) && isExpected(given.slice(bearer.length));
  };
}
