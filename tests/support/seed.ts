const seedVariable = "TEST_SEED";

/** The seed that `TEST_SEED` sets, by which random choices of an earlier run are repeated; null without it. */
export const givenSeed = process.env[seedVariable] === undefined ? null : Number(process.env[seedVariable]);

/** The seed of this run. A test whose random choices begin with it prints it where it fails. */
export const testSeed = givenSeed ?? 1 + (Date.now() % 1_000_000);
