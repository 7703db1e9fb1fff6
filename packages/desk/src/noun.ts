/**
 * A noun of the operator, as every rendering reads it. `defineNoun` makes one of a typed description.
 *
 * - column: a value of each row. - field: the values of one row under a name.
 * - act: a change. - offer: how a row offers an act; an act that it does not offer would be refused.
 */
import type { Machine } from "@cardkeep/contract/core/machine";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorChange, OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { ProgressStep } from "@cardkeep/domain/core/progressStep";
import type { z } from "zod";
import type { Value } from "./value.ts";

export type NounGroup = "People" | "Money" | "Operations" | "Access";

/** What callers send: words by the name of a filter or an input. */
export type Given = Readonly<Record<string, string | undefined>>;

export interface Filter {
  /** Its label on a page. */
  readonly label: string;
  /** What it chooses, on a terminal. */
  readonly brief: string;
  readonly placeholder: string;
  /** The words to choose from; free text without. */
  readonly values?: readonly string[];
  /** Pages show its words as tabs. */
  readonly isTab?: true;
  /** The word that counts where none is given: without one, all rows. */
  readonly fallback?: string;
  /** A terminal takes it as a flag without a value. `values` holds the word for it. */
  readonly isSwitch?: true;
  /** A terminal takes each of its words as a flag without a value. */
  readonly isFlags?: true;
  /** A terminal takes it as an argument that may be left out. */
  readonly isArgument?: true;
  /** What its free text has to be. */
  readonly schema?: z.ZodType<unknown, string>;
}

/** A value that an act takes. The verb's schema checks it; `values` are all words that there are. */
export interface Input {
  readonly label: string;
  readonly brief: string;
  readonly placeholder: string;
  readonly values?: readonly string[];
  /** What each of its words means, where pages say that in place of the word. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly isNumber?: true;
  /** Pages choose it on a calendar: a day, or an instant in UTC. */
  readonly calendar?: "day" | "instant";
  /** A terminal takes it as an argument. */
  readonly isArgument?: true;
  readonly isRequired?: true;
  /** A terminal takes it as a flag without a value. `values` holds the word for it. */
  readonly isSwitch?: true;
  /** Several words, joined by commas. A terminal takes the flag once for each. */
  readonly isList?: true;
  /** What a form begins with. */
  readonly example?: string;
  /** Whole sentences. */
  readonly isLong?: true;
  /** A JSON document. A terminal takes the path of its file. */
  readonly isJson?: true;
  /** A text of up to `fileBytesMax`. A terminal takes the path of its file; `-` is the standard input. */
  readonly isFile?: true;
}

/** Of a request whose act takes a file. */
const fileBytesMax = 4 * 1024 * 1024;

/** How many bytes a request of an act may have, where that is not as everywhere. */
export const findBytesMax = ({ inputs }: Pick<NounAct, "inputs">): number | undefined =>
  Object.values(inputs).some(({ isFile }) => isFile) ? fileBytesMax : undefined;

export interface ColumnShape {
  readonly name: string;
  /** What a terminal does where a line has no room: cut it, leave it out, or never show it. */
  readonly terminal: "fixed" | "elastic" | "optional" | "hidden";
  readonly isRight: boolean;
  /** Whether a page shows it: always, where a row of the page has a value, or never. Its CSV has all columns. */
  readonly page: "always" | "filled" | "never";
}

export interface Offer {
  readonly label: string;
  readonly consequence: string;
  readonly isDanger?: boolean;
  /** Inputs that the row decides. */
  readonly given?: Readonly<Record<string, string>>;
  /** Inputs as they are now, from which a form begins. */
  readonly present?: Readonly<Record<string, string | null>>;
  /** The words of an input that this row has. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** The present state of a row among those of its machine. */
export interface MachineView {
  readonly machine: Machine;
  readonly current: string;
  /** Earlier states that are known, oldest first. */
  readonly history?: readonly { readonly state: string; readonly at: Date | null }[];
}

/** Rows of another noun that belong to a row: what its list has for one word of a filter. */
export interface RelatedRows {
  readonly noun: string;
  readonly filter: string;
  readonly word: string;
}

/** Values about one row that have a table of their own. */
export interface PartTable {
  /** Of its CSV. */
  readonly name: string;
  readonly title: string;
  readonly lead?: string;
  readonly none: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** What a page shows of a row in addition to its fields. */
export interface PageParts {
  readonly steps?: readonly ProgressStep[];
  readonly state?: MachineView;
  readonly tables?: readonly PartTable[];
  readonly related?: readonly RelatedRows[];
  /** Names of fields that the page shows otherwise. */
  readonly without?: readonly string[];
}

/** What an act answers in place of a row. */
export interface NounFile {
  readonly fileName: string;
  readonly contentType: string;
  /** Texts, none of which is long. */
  readonly pieces: AsyncIterator<string>;
}

export interface Row {
  readonly page?: PageParts;
  readonly key: string;
  /** What a program gets. */
  readonly data: unknown;
  readonly cells: readonly Value[];
  readonly fields: readonly (readonly [string, readonly Value[]])[];
  /** By the act's name. */
  readonly offers: Readonly<Record<string, Offer>>;
  /** What an act made: pages lead there. */
  readonly made?: { readonly noun: string; readonly key: string };
  /** It holds a secret, which this answer alone has. */
  readonly isShownOnce?: boolean;
}

export interface Position {
  readonly after: string | null;
  readonly limit: number;
}

interface Words {
  readonly brief: string;
  readonly details?: string;
  readonly example: string | readonly string[];
}

export interface Argument {
  readonly name: string;
  /** What a form that makes a row calls it. */
  readonly label?: string;
  readonly brief: string;
  readonly values?: readonly string[];
  /** What a terminal checks before it asks for anything. */
  readonly schema?: z.ZodType<string, string>;
}

export interface NounList extends Words {
  readonly verb: Exclude<OperatorVerb, OperatorChange>;
  readonly filters: Readonly<Record<string, Filter>>;
  readonly columns: readonly ColumnShape[];
  readonly lead: string;
  /** The sentence for a list without rows; a terminal adds the hint. */
  readonly none: string;
  readonly hint: string;
  /** All rows are there at once. */
  readonly isWhole: boolean;
  /** A sentence about the present state above the list; null for none. */
  readonly note?: (ctx: OperatorContext) => Promise<string | null>;
  read(ctx: OperatorContext, given: Given, position: Position): Promise<readonly Row[]>;
}

export interface NounShow extends Words {
  readonly verb: Exclude<OperatorVerb, OperatorChange>;
  readonly title: string;
  read(ctx: OperatorContext, key: string): Promise<Row>;
}

/** A noun as a whole. A terminal shows it by `show` without a key. */
export type Overview = Pick<Row, "data"> & Required<Pick<PageParts, "tables">>;

/** What is wrong with an input. */
export interface InputFault {
  readonly field: string;
  readonly message: string;
}

export interface NounAct extends Words {
  readonly verb: OperatorChange;
  readonly inputs: Readonly<Record<string, Input>>;
  /** It changes a row; otherwise it makes one, and its argument names the new row. */
  readonly isOfRow: boolean;
  /** It makes a row whose key it chooses, or changes several. It takes inputs alone. */
  readonly isKeyless?: true;
  /** Its answer holds a secret that is shown once, so assistants do not get it. */
  readonly showsSecret?: true;
  /** Its effect comes after the commit of its action, so it is done only at its end. It may run twice. */
  readonly endsAfterCommit?: true;
  /** Pages send its form to the address of the row itself. */
  readonly isBare?: true;
  /** Its row may be gone soon, so pages lead to the list. */
  readonly leadsToList?: true;
  /** What a page says once it is done, of so many rows. */
  readonly done?: (count: number) => string;
  /** The button of its form beside the list, and what it says; otherwise both follow from the words of its command. */
  readonly label?: string;
  readonly consequence?: string;
  /** Pages ask for a reason, also where its verb needs none. */
  readonly needsReason?: true;
  /** It answers a file in place of a row. Assistants do not get it. @throws as `run` */
  readonly file?: (ctx: OperatorContext, key: string, given: Given) => Promise<NounFile>;
  /** The first fault of the inputs, before anything is asked; null without one. */
  check(key: string, given: Given, describe?: z.core.$ZodErrorMap): InputFault | null;
  /** @throws request.invalid for an input that the schema refuses, and for an act that answers a file; and what the verb throws */
  run(ctx: OperatorContext, key: string, given: Given): Promise<Row>;
}

export interface Noun {
  readonly name: string;
  readonly title: string;
  readonly group: NounGroup;
  readonly brief: string;
  readonly argument: Argument;
  readonly list: NounList;
  readonly show: NounShow | null;
  readonly overview?: Omit<NounShow, "title" | "read"> & { read(ctx: OperatorContext): Promise<Overview> };
  readonly acts: Readonly<Record<string, NounAct>>;
}
