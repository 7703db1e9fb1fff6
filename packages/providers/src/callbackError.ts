/**
 * Why a callback is not taken. `forged`: not from the partner, or too old. `senseless`: authentic, but with a content that
 * cannot be read or be true, such as a bad checksum or a negative amount.
 */
export type CallbackError = "forged" | "senseless";
