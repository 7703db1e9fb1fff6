/** Elements in which white space counts. */
const verbatim = /(<(pre|script|style|textarea)\b[^]*?<\/\2>)/;

/** Removes the templates' indentation. It is a third of a page, and browsers show it as one space. */
export const minifyHtml = (html: string): string =>
  html
    .split(verbatim)
    .map((piece, index) => {
      // A split with two groups gives the text between, the element, and the element's name in turn.
      if (index % 3 === 1) return piece;
      if (index % 3 === 2) return "";
      return piece.replaceAll(/\s*\n\s*/g, "\n");
    })
    .join("");
