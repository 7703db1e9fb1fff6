/** Completions of shells: scripts that hold every word, so that no command runs at a key. */
import type { CommandWords } from "./commandWords.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A text between single quotes of a POSIX shell; fish reads it alike, but for the quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const quoteFish = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

/** The two tables of bash and zsh: words by path, and values by path and flag. */
function renderCases(all: readonly CommandWords[]): string {
  const paths = all.map(
    ({ path, words }) => `    ${quote(path)}) words=${quote(words.map(({ word }) => word).join(" "))} ;;`,
  );
  const values = all.flatMap(({ path, values: of }) =>
    Object.entries(of).map(([flag, names]) => `    ${quote(`${path} ${flag}`)}) words=${quote(names.join(" "))} ;;`),
  );
  return [`  case "$path" in`, ...paths, "  esac", `  case "$path $before" in`, ...values, "  esac"].join("\n");
}

/** Takes the noun and the verb from the words before the cursor; a flag ends them. */
const findPath = (first: number): string =>
  `  for word in "\${given[@]:${first}:2}"; do
    case "$word" in -*) break ;; esac
    path="\${path:+$path }$word"
  done`;

const renderBash = (all: readonly CommandWords[]): string => `_cardkeep() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" word
  local given=("\${COMP_WORDS[@]:0:COMP_CWORD}")
${findPath(1)}
  case " ${listSingle(all)} " in *" \${path%% *} "*) path="\${path%% *}" ;; esac
${renderCases(all)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _cardkeep cardkeep
`;

const renderZsh = (all: readonly CommandWords[]): string => `#compdef cardkeep
_cardkeep() {
  local before="\${words[CURRENT-1]}" path_of="" found="" word
  local -a given; given=("\${(@)words[1,CURRENT-1]}")
  for word in "\${(@)given[2,3]}"; do
    case "$word" in -*) break ;; esac
    path_of="\${path_of:+$path_of }$word"
  done
  case " ${listSingle(all)} " in *" \${path_of%% *} "*) path_of="\${path_of%% *}" ;; esac
${renderCases(all).replaceAll("words=", "found=").replaceAll("$path", "$path_of")}
  if [[ -n "$found" ]]; then compadd -- \${=found}; else _files; fi
}
compdef _cardkeep cardkeep
`;

/** Nouns that are commands by themselves: what follows them is an argument. */
const listSingle = (all: readonly CommandWords[]): string =>
  all
    .filter(({ path }) => path !== "" && !path.includes(" ") && !all.some((other) => other.path.startsWith(`${path} `)))
    .map(({ path }) => path)
    .join(" ");

function renderFish(all: readonly CommandWords[]): string {
  const lines = all.flatMap(({ path, words, values }) => {
    const [noun = "", verb] = path.split(" ");
    const at =
      noun === ""
        ? "__fish_use_subcommand"
        : verb === undefined
          ? `__cardkeep_at ${noun}`
          : `__cardkeep_at ${noun} ${verb}`;
    return words.map(({ word, brief }) => {
      const text = quoteFish(brief);
      if (!word.startsWith("--")) return `complete -c cardkeep -f -n ${quoteFish(at)} -a ${word} -d ${text}`;
      const choices = values[word];
      const value = choices === undefined ? "" : ` -xa ${quoteFish(choices.join(" "))}`;
      return `complete -c cardkeep -n ${quoteFish(at)} -l ${word.slice(2)}${value} -d ${text}`;
    });
  });
  return `function __cardkeep_at
  set -l words (string match -v -- '-*' (commandline -opc))
  test "$words[2..]" = "$argv"; or begin
    test (count $argv) -gt 1; and test "$words[2..3]" = "$argv"
  end
end
${lines.join("\n")}
`;
}

/** The script that a shell evaluates to complete the words of `cardkeep`. */
export function renderCompletion(shell: Shell, all: readonly CommandWords[]): string {
  const render = { bash: renderBash, zsh: renderZsh, fish: renderFish };
  return render[shell](all);
}
