/** What `bun start` tells the person who waits for it. */
export interface Progress {
  /** Names what is being started; shown on a terminal until the next line. */
  begin(name: string): void;
  say(line: string): void;
}

const clearLine = "\r\u001B[K";

/** Tells it on a stream: line by line, and on a terminal also what is going on meanwhile. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  const clear = stream.isTTY ? clearLine : "";
  return {
    begin: (name) => void (stream.isTTY && stream.write(`${clear}… ${name}`)),
    say: (line) => void stream.write(`${clear}${line}\n`),
  };
}
