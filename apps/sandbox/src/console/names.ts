/** The names desk: ENS names of the local chain and their addresses. */
import { markup } from "@cardkeep/html/markup";
import { listNames } from "../ens.ts";
import { type Desk, listShown, nameOf } from "./desk.ts";
import {
  renderAction,
  renderCopy,
  renderCut,
  renderEmpty,
  renderField,
  renderPanel,
  renderSelect,
  renderTable,
} from "./parts.ts";

const shownMax = 100;

export const names: Desk = {
  id: "names",
  title: "Names",
  summary:
    "ENS on the local chain. A card order with `personalizationSource` `ENS` needs a name of the user's own wallet.",
  render: async (view) => {
    const { ens } = view.runtime.services;
    const people = view.people.flatMap((person) =>
      person.walletAddress === null ? [] : [{ ...person, walletAddress: person.walletAddress }],
    );
    const personOf = new Map(
      people.flatMap((person) => [
        [person.walletAddress, person] as const,
        ...(person.safe === null ? [] : [[person.safe.address, person] as const]),
      ]),
    );
    const found = (await listNames(view.runtime)).slice(-shownMax).toReversed();
    const rows = await Promise.all(
      found.map(async (name) => ({ name, address: (await ens?.findAddress(name).catch(() => null)) ?? null })),
    );
    const shown = new Set(listShown(view).map(({ id }) => id));
    const ofShown = rows.filter(
      ({ address }) => view.person === null || (address !== null && shown.has(personOf.get(address)?.id ?? "")),
    );
    const choices = people
      .filter(({ id }) => shown.has(id))
      .map((person) => ({ value: person.walletAddress, text: nameOf(person) }));
    return markup`${renderPanel(
      "New name",
      choices.length === 0
        ? renderEmpty("A name needs a wallet. No user has signed up yet.")
        : renderAction({
            path: "/ens/names",
            label: "New name",
            done: "{name} stands for {address} now.",
            content: markup`<div class="fields">
                ${renderField("Name", markup`<input name="name" placeholder="ada.eth" required maxlength="255" />`)}
                ${renderField("Wallet of", renderSelect("address", choices))}
              </div>
              <div class="row"><button>Register</button></div>`,
          }),
    )}
    ${renderPanel(
      "Names",
      ofShown.length === 0
        ? renderEmpty("No name yet. Register one in the form above, or by `POST /ens/names` of the sandbox.")
        : renderTable(
            ["Name", "Stands for", "Person"],
            ofShown.map(({ name, address }) => {
              const person = address === null ? undefined : personOf.get(address);
              return markup`<tr id="name-${name}">
                <td>${renderCopy(name, name)}</td>
                <td>${address === null ? "nothing" : renderCopy(address)}</td>
                <td>${person !== undefined && nameOf(person)}</td>
              </tr>`;
            }),
          ),
    )}
    ${renderCut(found.length, shownMax)}`;
  },
};
