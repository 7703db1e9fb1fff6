import manifest from "../../../package.json" with { type: "json" };

/** Version of the program and of the interface description, from the root's `package.json`. */
export const { version } = manifest;
