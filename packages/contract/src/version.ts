import manifest from "../../../package.json" with { type: "json" };

/** Version of the program, from the root's `package.json`. */
export const { version } = manifest;

/** Version of the interface description: that of the paths below `/api/v1`, which releases of the program only add to. */
export const interfaceVersion = "1.0.0";
