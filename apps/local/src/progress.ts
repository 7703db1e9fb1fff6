/** Progress of `bun start` for the waiting person. */
export interface Progress {
  /** Names the part that starts now. A terminal shows it until the next line. */
  begin(name: string): void;
  print(line: string): void;
}

const clearLine = "\r\u001B[K";

/** Prints progress line by line. A terminal also shows the part that starts now. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  const clear = stream.isTTY ? clearLine : "";
  return {
    begin: (name) => void (stream.isTTY && stream.write(`${clear}… ${name}`)),
    print: (line) => void stream.write(`${clear}${line}\n`),
  };
}
