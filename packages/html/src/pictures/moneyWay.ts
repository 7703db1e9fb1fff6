/** The picture of the programme's money: the accounts in the order in which it passes them, with what moved between them. */
import { markup, type Html } from "../markup.ts";
import { cut, type Picture, renderSvg } from "./picture.ts";

/** An account on the way, and what leaves it for the next one. */
export interface Station {
  readonly name: string;
  /** What is there now; null where it is not held for the programme. */
  readonly amount: string | null;
  /** What moved on to the next account, and back; none behind the last. */
  readonly onward: string | null;
  readonly back: string | null;
}

const rowPx = 64;
const edgePx = 9;
const textX = 30;
const nameLengthMax = 30;
const amountLengthMax = 24;

/** Draws every account once, in their order. */
export function drawMoneyWay({ stations, ...picture }: Picture & { readonly stations: readonly Station[] }): Html {
  const rows = stations.map(({ name, amount, onward, back }, index) => {
    const y = index * rowPx + 16;
    const end = y + rowPx;
    const isLast = index === stations.length - 1;
    return markup`<g>
      <title>${name} ${amount}</title>
      ${
        !isLast &&
        markup`<line class="track" x1="${edgePx}" x2="${edgePx}" y1="${y + 8}" y2="${end - 12}" />
        <path class="track" d="M${edgePx - 4},${end - 16} L${edgePx},${end - 10} L${edgePx + 4},${end - 16}" />`
      }
      <circle class="tone-${amount === null ? "plain" : "first"}" cx="${edgePx}" cy="${y}" r="6.5" />
      <text class="shown" x="${textX}" y="${y + 4}">${cut(name, nameLengthMax)}</text>
      <text class="amounts" x="100%" y="${y + 4}" text-anchor="end">${amount !== null && cut(amount, amountLengthMax)}</text>
      ${onward !== null && markup`<text x="${textX}" y="${y + 24}">↓ ${onward} today</text>`}
      ${back !== null && markup`<text x="${textX}" y="${y + 40}">↑ ${back} today</text>`}
    </g>`;
  });
  return renderSvg(picture, stations.length * rowPx, markup`${rows}`);
}
