/** The ages of debts, in days: up to each, and above the last. */
const ages = [30, 60, 90];

/** The age of so many days: `31-60`. */
export const nameAge = (days: number): string => {
  const index = ages.findIndex((most) => days <= most);
  const from = index === 0 ? 0 : (ages.at(index === -1 ? -1 : index - 1) ?? 0) + 1;
  return index === -1 ? `${from}+` : `${from}-${ages[index]}`;
};
