/** The pages' scripts. The paths begin at the repository's root, so that they also work in a bundle of the sandbox. */
export const consoleScript = new URL("../../../apps/sandbox/src/console/browser.ts", import.meta.url);
export const elementsScript = new URL("../../../apps/sandbox/src/elements/browser.ts", import.meta.url);
export const personScript = new URL("../../../apps/sandbox/src/console/person/browser/main.ts", import.meta.url);
