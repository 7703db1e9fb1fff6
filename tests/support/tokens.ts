/** EURe's address on Gnosis Chain, as its issuer names it. */
export const eure = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
