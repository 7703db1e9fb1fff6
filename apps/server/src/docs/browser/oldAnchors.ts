/** Until there was a page for each noun, everything had an anchor on `/docs`. */
const indexPath = "/docs";

/** Where the thing of an old anchor is now; null for an anchor of this page. */
function findPlace(id: string): string | null {
  const [, kind] = /^(error|event|machine|decline)-/.exec(id) ?? [];
  if (kind !== undefined) return `${indexPath}/${kind}s#${id}`;
  if (id.startsWith("noun-")) return `${indexPath}/${id.slice("noun-".length)}`;
  return id.includes(".") ? `${indexPath}/${id.split(".")[0]}#${id}` : null;
}

/** On the index, goes on to the page that has what the address names. The index links to everything that exists. */
export function followOldAnchor(): void {
  if (location.pathname.replace(/\/$/, "") !== indexPath) return;
  const place = findPlace(decodeURIComponent(location.hash.slice(1)));
  const isKnown = [...document.links].some((link) => link.getAttribute("href") === place);
  if (place !== null && isKnown) location.replace(place);
}
