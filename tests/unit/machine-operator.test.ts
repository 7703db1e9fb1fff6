import { expect, test } from "bun:test";

test("the machine's user is the process's own, whatever the environment says", async () => {
  const program = 'import { describeMachine } from "@cardkeep/cli/machineOperator"; console.log(describeMachine().id)';
  const run = (name: string) => {
    const names = { USER: name, LOGNAME: name, USERNAME: name, HOME: `/home/${name}` };
    const { stdout } = Bun.spawnSync(["bun", "-e", program], {
      cwd: `${import.meta.dir}/..`,
      env: { ...process.env, ...names },
    });
    return stdout.toString().trim();
  };
  expect(run("alice")).toMatch(/^machine:.+\/.+$/);
  expect(run("alice")).toBe(run("bob"));
});
