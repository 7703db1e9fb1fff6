import type * as accountKit from "@gnosispay/account-kit";

/** account-kit, loaded at its first use: with ethers it takes a fifth of a server's start, and many processes never need it. */
export const loadAccountKit = (): typeof accountKit => require("@gnosispay/account-kit");
