/** The Person desk: one person's whole life as a cardholder, with a key that the page keeps. */
import { apiPrefix, listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { listPeople } from "@cardkeep/db/sandbox/people";
import { type Html, markup } from "@cardkeep/html/markup";
import { personScript } from "../../browserScripts.ts";
import { generatePerson } from "../../profiles/generatePerson.ts";
import type { Desk, View } from "../desk.ts";
import { renderCopy } from "../parts.ts";
import { renderPersonPictures } from "../personPictures.ts";
import { formatIban } from "./ibans.ts";
import { formatCard, listLiving } from "./cards.ts";
import { formatAmount, formatLimit } from "./money.ts";
import { readPersonState, type PersonState } from "./personState.ts";
import { arrange, renderStep, type Shown } from "./step.ts";
import { steps } from "./steps.ts";
import { personStyle } from "./style.ts";

/** The elements' origin, as a browser on this machine reaches it. */
const elementsUrlOf = ({ elementsPort }: View["runtime"]["settings"]): string => `http://localhost:${elementsPort}`;

export const person: Desk = {
  id: "person",
  title: "Person",
  summary: "Live one person's life as a cardholder. The page keeps the key, and every button calls the public API.",
  page: {
    style: personStyle,
    script: personScript,
    scriptPath: "/console/person.js",
    listOrigins: (settings) => ({ connect: [new URL(settings.publicUrl).origin], frame: [elementsUrlOf(settings)] }),
  },
  render: renderDesk,
};

/** Method and path of every operation, for the page's script. */
const operations = Object.fromEntries(
  listRoutes(routes).map(({ name, route }) => [name, [route.method, `${apiPrefix}${route.path}`]]),
);

async function renderDesk(view: View): Promise<Html> {
  const { settings } = view.runtime;
  const state = await readPersonState(view);
  return markup`<div
      id="play"
      data-service="${new URL(settings.publicUrl).origin}"
      data-elements="${elementsUrlOf(settings)}"
      data-chain="${settings.policy.chainId}"
      data-operations="${JSON.stringify(operations)}"
      data-wallet="${state?.wallet ?? ""}"
      data-user="${state?.account?.user.id ?? ""}"
    >
      <div id="keys" data-kept><noscript><p class="empty">This desk needs JavaScript: the page signs with the person's key.</p></noscript></div>
      ${state === null ? renderStart() : await renderLife(state)} ${state?.account && (await renderPictures(view, state.account.user.id))}
    </div>`;
}

async function renderPictures({ runtime }: View, id: string): Promise<Html | null> {
  const [row] = await listPeople(runtime.db, { ids: [id], limit: 1 });
  return row
    ? markup`<section class="pictures" aria-labelledby="pictures">
        <h2 id="pictures">What it looks like</h2>
        ${await renderPersonPictures(runtime, row)}
      </section>`
    : null;
}

const renderStart = (): Html =>
  markup`<section class="panel start">
    <h2>Be a person</h2>
    <p>A new person gets a private key, which this browser keeps. Then each step of a cardholder's life is one button.</p>
    <ol class="outline">
      ${steps.map(({ title }) => markup`<li>${title}</li>`)}
    </ol>
  </section>`;

async function renderLife(state: PersonState): Promise<Html> {
  const arranged = arrange(steps, state);
  const next = arranged.find((shown) => ["now", "failed", "waiting"].includes(shown.state)) ?? null;
  const opened = next ?? arranged[0];
  const count = arranged.filter((shown) => shown.state === "done").length;
  return markup`<div class="life">
    ${renderFigures(state)}
    <section aria-label="Steps">
      <div class="progress"><span>${count} of ${steps.length} steps are done</span>
        <progress max="${steps.length}" value="${count}" aria-label="Steps done"></progress></div>
      <ol class="rail">
        ${await Promise.all(
          arranged.map((shown: Shown) =>
            renderStep(shown, { person: state, isOpen: shown === opened, next: next?.step ?? null }),
          ),
        )}
      </ol>
    </section>
  </div>`;
}

function renderFigures({ wallet, account }: PersonState): Html {
  const { firstName, lastName } = account?.user.firstName ? account.user : generatePerson(wallet);
  const iban = account?.user.bankingDetails?.emoneyIban;
  const cards = listLiving(account);
  return markup`<aside class="panel who" aria-label="The person">
    <h2>${firstName} ${lastName}</h2>
    <p class="meta">${account?.user.email ?? "not signed up yet"}</p>
    ${
      account?.balances &&
      markup`<p class="balance">${formatAmount(account, account.balances.total)}</p>
      ${account.balances.pending > 0n && markup`<p class="meta">${formatAmount(account, account.balances.pending)} of it pending</p>`}`
    }
    <dl>
      <dt>Wallet</dt><dd>${renderCopy(wallet)}</dd>
      ${account?.safe && markup`<dt>Safe</dt><dd>${renderCopy(account.safe)}</dd>`}
      ${iban && markup`<dt>IBAN</dt><dd>${renderCopy(iban, formatIban(iban))}</dd>`}
      ${cards.length > 0 && markup`<dt>Cards</dt><dd>${cards.map(formatCard).join(", ")}</dd>`}
      ${account?.limit && markup`<dt>Daily limit</dt><dd>${formatLimit(account, account.limit)} left</dd>`}
    </dl>
    <p id="session" class="meta" data-kept></p>
  </aside>`;
}
