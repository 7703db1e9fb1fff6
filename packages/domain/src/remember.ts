/** Whoever invents keys is not to fill the memory. */
const keysMax = 1_000;

/** Looks up once what each key stands for; beyond a thousand keys, those that are new are looked up each time. */
export function remember<Key, Found>(look: (key: Key) => Found): (key: Key) => Found {
  const known = new Map<Key, Found>();
  return (key) => {
    const found = known.get(key) ?? look(key);
    if (known.size < keysMax) known.set(key, found);
    return found;
  };
}
