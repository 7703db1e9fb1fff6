/** The bank desk: sends money to the IBANs of people. */
import type { Db } from "@cardkeep/db/client";
import { type EmoneyRecord, listIbansOfAddress, listNewestEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { z } from "zod";
import { iban as ibanRecord, type SandboxIban } from "../emoney/state.ts";
import { type Desk, renderWayOn, type View } from "./desk.ts";
import {
  renderAction,
  renderBadge,
  renderCopy,
  renderCut,
  renderEmpty,
  renderField,
  renderPanel,
  renderSelect,
  renderTable,
} from "./parts.ts";

const [shownMax, ibansMax] = [20, 50];

const toneOf: Readonly<Record<string, "good" | "bad">> = { processed: "good", rejected: "bad" };

const order = z.object({
  id: z.string(),
  address: z.string(),
  kind: z.string(),
  amount: z.string(),
  currency: z.string(),
  counterpart: z.object({
    details: z
      .object({ name: z.string(), firstName: z.string(), lastName: z.string(), companyName: z.string() })
      .partial()
      .default({})
      .transform(({ name, firstName, lastName, companyName }) => ({
        name: name ?? companyName ?? [firstName, lastName].filter(Boolean).join(" "),
      })),
  }),
  memo: z.string().nullable().default(null),
  state: z.string(),
  meta: z.object({ placedAt: z.coerce.date() }),
});

/** Groups of four characters, as banks print an IBAN. */
const groupIban = (text: string): string => text.replaceAll(/(.{4})(?=.)/g, "$1 ");

const renderTransfer = (ibans: readonly SandboxIban[]): Html =>
  renderAction({
    path: "/emoney/incoming",
    label: "Send money",
    done: "Sent and minted on chain.",
    keeps: true,
    content: markup`<div class="fields">
        ${renderField(
          "To",
          renderSelect(
            "iban",
            ibans.map(({ iban, name }) => ({ value: iban, text: `${name}, …${iban.slice(-4)}` })),
          ),
          "wide",
        )}
        ${renderField("Amount in EUR", markup`<input name="amount" inputmode="decimal" value="25.00" required />`)}
        ${renderField("From", markup`<input name="counterpart" value="Charles Babbage" required />`)}
        ${renderField("Reference", markup`<input name="memo" value="Thank you" maxlength="140" />`)}
      </div>
      <div class="row"><button>Send</button></div>`,
  });

const renderProfile = ({ person }: View): Html =>
  renderAction({
    path: "/emoney/profiles",
    label: "Create a profile",
    done: "The profile exists now.",
    content: markup`<p class="muted">An existing customer of the institution is asked for consent. The service creates no new profile for them.</p>
      <div class="row inline">
        <input name="email" type="email" value="${person?.email}" placeholder="ada@example.org" required aria-label="Mail address" />
        <button class="plain">Create a profile</button>
      </div>`,
  });

const readIban = ({ data }: EmoneyRecord): SandboxIban => ibanRecord.parse(data);

/** The newest IBANs, of the chosen person's Safe or of all. */
async function listIbans({ runtime: { store }, person }: View): Promise<SandboxIban[]> {
  if (person === null)
    return (await listNewestEmoneyRecords(store, { kind: "iban", profile: null, limit: ibansMax })).map(readIban);
  return person.safe === null ? [] : (await listIbansOfAddress(store, person.safe.address, ibansMax)).map(readIban);
}

/** The newest transfers, of some IBANs or of all, newest first, and whose they are. */
async function listTransfers(store: Db, of: readonly SandboxIban[] | null) {
  const profiles = of === null ? [null] : [...new Set(of.map(({ profile }) => profile))];
  const found = await Promise.all(
    profiles.map((profile) => listNewestEmoneyRecords(store, { kind: "order", profile, limit: shownMax })),
  );
  const newest = found
    .flat()
    .toSorted((a, b) => Number(b.sequence - a.sequence))
    .slice(0, shownMax);
  const transfers = newest.map(({ data }) => order.parse(data));
  const addresses = [...new Set(transfers.map(({ address }) => address))];
  const ibans = await Promise.all(addresses.map((address) => listIbansOfAddress(store, address, 1)));
  return { transfers, holders: new Map(ibans.flat().map((record) => [readIban(record).address, readIban(record)])) };
}

export const bank: Desk = {
  id: "bank",
  title: "Bank",
  summary: "The e-money institution: the IBANs of people. Incoming money is minted on chain.",
  render: async (view) => {
    const { store } = view.runtime;
    const ibans = await listIbans(view);
    const { transfers, holders } = await listTransfers(store, view.person === null ? null : ibans);
    if (ibans.length === 0) {
      return markup`${renderEmpty("No IBAN yet.", renderWayOn("Get one at the Person desk", view.person))}
      ${renderPanel("Existing customers", renderProfile(view))}`;
    }
    return markup`${renderPanel("Send money", renderTransfer(ibans))}
    ${renderPanel(
      "Transfers",
      transfers.length === 0
        ? renderEmpty("No transfers yet.")
        : renderTable(
            ["Amount", "Direction", "Holder", "Counterpart", "Reference", "State", "When"],
            transfers.map(
              ({ id, kind, amount, currency, counterpart, address, memo, state, meta }) =>
                markup`<tr id="order-${id}">
                  <td class="number"><strong>${amount} ${currency.toUpperCase()}</strong></td>
                  <td>${kind === "issue" ? "In" : "Out"}</td>
                  <td>${holders.get(address)?.name}</td>
                  <td>${counterpart.details.name}</td>
                  <td>${memo}</td>
                  <td>${renderBadge(state, toneOf[state] ?? "note")}</td>
                  <td>${renderTime(meta.placedAt)}</td>
                </tr>`,
            ),
          ),
    )}
    ${renderCut(transfers.length, shownMax)}
    ${renderPanel("IBANs", [
      renderTable(
        ["Holder", "IBAN", "BIC", "Safe"],
        ibans.map(
          ({ iban, bic, name, address }) =>
            markup`<tr id="iban-${iban}">
              <td>${name}</td>
              <td>${renderCopy(iban, groupIban(iban))}</td>
              <td>${bic}</td>
              <td>${renderCopy(address)}</td>
            </tr>`,
        ),
      ),
      renderCut(ibans.length, ibansMax),
    ])}
    ${renderPanel("Existing customers", renderProfile(view))}`;
  },
};
