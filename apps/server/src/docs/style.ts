/** The style sheet of the documents: light and dark, phone and desk. */
import { dataLook, look } from "@cardkeep/html/look";
import { codeStyle } from "./style/code.ts";
import { frameStyle } from "./style/frame.ts";
import { machineStyle } from "./style/machines.ts";
import { referenceStyle } from "./style/reference.ts";
import { searchStyle } from "./style/search.ts";
import { textStyle } from "./style/text.ts";

export const style = look + dataLook + frameStyle + textStyle + referenceStyle + codeStyle + machineStyle + searchStyle;
