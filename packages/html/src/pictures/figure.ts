import { markup, type Html, type Part } from "../markup.ts";
import type { Picture } from "./picture.ts";

/** A picture with its words and legend. What it shows is behind one click as numbers too, for eyes that cannot see it. */
export const renderFigure = (
  { title, summary }: Pick<Picture, "title" | "summary">,
  { svg, legend, numbers }: { svg: Html; legend?: Part; numbers?: Part },
): Html =>
  markup`<figure class="chart">
    <figcaption>${title}<br /><span>${summary}</span></figcaption>
    ${svg} ${legend} ${
      numbers &&
      markup`<details class="numbers">
        <summary aria-label="Numbers of ${title}">Numbers</summary>
        ${numbers}
      </details>`
    }
  </figure>`;
