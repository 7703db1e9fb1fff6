/** The pages' scripts. The paths begin at the repository's root, so that they also work in a bundle of the server. */
export const docsScript = new URL("../../../apps/server/src/docs/browser/page.ts", import.meta.url);
export const operatorScript = new URL("../../../apps/server/src/operator/page/browser.ts", import.meta.url);
export const docsSearchScript = new URL("../../../apps/server/src/docs/browser/search.ts", import.meta.url);
export const docsRunScript = new URL("../../../apps/server/src/docs/browser/run.ts", import.meta.url);
