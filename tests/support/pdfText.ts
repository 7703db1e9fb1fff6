/** The texts of a PDF of ours, in the order in which they were written: its fonts name the character of each glyph. */
import { inflateSync } from "node:zlib";

/** The objects of a file by their number, each with its dictionary and its stream. */
function readObjects(bytes: Uint8Array): Map<string, { dictionary: string; stream: string }> {
  const raw = Buffer.from(bytes).toString("latin1");
  const objects = [...raw.matchAll(/^(\d+) 0 obj\n([\s\S]*?)(?:\nstream\n([\s\S]*?)\nendstream)?\nendobj$/gm)];
  return new Map(
    objects.map(([, id = "", dictionary = "", stream = ""]) => {
      const isPacked = dictionary.includes("/FlateDecode") && !dictionary.includes("/Image");
      const text = isPacked ? inflateSync(Buffer.from(stream, "latin1")).toString("latin1") : "";
      return [id, { dictionary, stream: text }];
    }),
  );
}

/** The character of each glyph of a font, from its own table. */
const readGlyphs = (table: string): string[] =>
  [...table.matchAll(/\[([^\]]*)\]/g)].flatMap(([, row = ""]) =>
    // A ligature stands for several.
    [...row.matchAll(/<([0-9a-f ]+)>/g)].map(([, codes = ""]) =>
      codes.replaceAll(/[0-9a-f]+ ?/g, (code) => String.fromCharCode(Number.parseInt(code, 16))),
    ),
  );

/** Every text of a PDF that pdfkit made. */
export function readPdfTexts(bytes: Uint8Array): string[] {
  const objects = readObjects(bytes);
  const fonts = new Map<string, string[]>();
  for (const { dictionary } of objects.values())
    for (const [, name = "", id = ""] of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, table = ""] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.dictionary ?? "") ?? [];
      fonts.set(name, readGlyphs(objects.get(table)?.stream ?? ""));
    }
  return [...objects.values()].flatMap(({ stream }) =>
    [...stream.matchAll(/\/(F\d+) [\d.]+ Tf\n\[(.*?)\] TJ/g)].map(([, font = "", parts = ""]) =>
      [...parts.matchAll(/<([0-9a-f]+)>/g)]
        .flatMap(([, glyphs = ""]) => glyphs.match(/.{4}/g) ?? [])
        .map((glyph) => fonts.get(font)?.[Number.parseInt(glyph, 16)] ?? "")
        .join(""),
    ),
  );
}
