/**
 * Attacks a server until it is killed: `bodies` of megabytes and `batches` of fifty calls with a token that is none, and `rules`
 * of a partner whose states change all the time. It takes any answer.
 */
const { PORT = "", ATTACK = "", KEY = "", RULES = "" } = process.env;
const base = `http://127.0.0.1:${PORT}`;
const json = { "Content-Type": "application/json" };

const post = async (path: string, body: string, token: string): Promise<void> => {
  const headers = { ...json, Authorization: `Bearer ${token}` };
  await fetch(base + path, { method: "POST", body, headers }).then(
    (answer) => answer.arrayBuffer(),
    () => Bun.sleep(5),
  );
};

/** So many connections, each with one request after another. */
const repeat = (connections: number, send: (turn: number) => Promise<void>): void => {
  for (let index = 0; index < connections; index++)
    void (async () => {
      for (let turn = index; ; turn++) await send(turn);
    })();
};

switch (ATTACK) {
  case "bodies": {
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 500_000 }, (_, key) => [key, 0])));
    const paths = ["/api/v1/transactions/iauth_1/dispute/evidence/files", "/trpc/transactions.addEvidenceFile"];
    repeat(2, (turn) => post(paths[turn % paths.length] ?? "", keys, "bogus"));
    break;
  }
  case "batches": {
    const calls = Array.from({ length: 50 }, () => "transactions.addEvidenceFile").join(",");
    repeat(60, () => post(`/trpc/${calls}?batch=1`, "{}", "bogus"));
    break;
  }
  case "rules": {
    const ids = RULES.split(",");
    const states = ["ACTIVE", "INACTIVE"];
    repeat(8, (turn) => {
      const state = states[Math.floor(turn / ids.length) % 2];
      return post(
        `/api/v1/partners/card-rules/${ids[turn % ids.length]}/versions/1/state`,
        JSON.stringify({ state }),
        KEY,
      );
    });
    break;
  }
  default:
    throw new Error(`No attack ${ATTACK}`);
}
process.stdout.write("listening\n");
