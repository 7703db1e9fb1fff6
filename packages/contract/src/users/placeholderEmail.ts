/** Where a mail address is no more: a released one went to the person who proved it. RFC 2606 keeps the domain free. */
const domains = { erased: "erased.invalid", released: "released.invalid" } as const;

/** Stands in the place of a person's mail address: the column needs one of each person. */
export const placeholderEmail = (userId: string, state: keyof typeof domains): string => `${userId}@${domains[state]}`;

export const isPlaceholderEmail = (email: string): boolean =>
  Object.values(domains).some((domain) => email.toLowerCase().endsWith(`@${domain}`));

/** A person's mail address; null where a placeholder stands for it. */
export const realEmail = (email: string): string | null => (isPlaceholderEmail(email) ? null : email);
