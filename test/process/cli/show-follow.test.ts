/** `agent show --follow` of real agents whose commands go on when the test lets them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { type Program, runProgram, startLine, startProgram, temporaryHome } from "../program.ts";

/** A run of a script, whose commands wait for files that `go` makes. */
function scriptedRun(turns: string) {
	const home = temporaryHome();
	const gates = join(home, "gates");
	mkdirSync(gates);
	const script = join(home, "script.yaml");
	writeFileSync(script, `agents:\n  - path: "1"\n    turns:\n${turns.replaceAll("GATES", gates)}`);
	const run = startProgram(["run", "--model", `script:${script}`, "follow me"], { home });
	return { home, run, go: (gate: string) => writeFileSync(join(gates, gate), "") };
}

/** A loop of the shell that ends when the test lets it. */
const until = (gate: string) => `until [ -e GATES/${gate} ]; do sleep 0.02; done`;

/** `agent show --follow`, and what it has printed so far. */
async function follow(home: string, run: Program, ...args: string[]) {
	await run.waitForEvent(({ event }) => event === "turn_started");
	const shown = startProgram(["show", "--follow", ...args], { home });
	return { shown, shows: (text: string) => vi.waitFor(() => expect(shown.stdoutSoFar()).toContain(text), WAIT) };
}

const TWO = `
      - say: "Two at once."
        run:
          - 'echo a1; ${until("a")}; echo a2'
          - 'echo b1; ${until("b")}; echo b2 >&2; exit 3'
      - run: 'echo -n "Continue? "; ${until("c")}; echo yes'
      - say: "Done."
`;

// Seen to fail when output was shown with its result: nothing of it came before the command's end.
test("the lines of commands that run are told as they come, apart from each other, and once", async () => {
	const { home, run, go } = scriptedRun(TWO);
	const { shown, shows } = await follow(home, run);
	await shows(" 1| a1\n");
	await shows(" 2| b1\n");
	expect(shown.stdoutSoFar()).not.toContain("exit status");
	go("b");
	await shows("command 2: exit status 3");
	go("a");
	await shows("    Continue? \n");
	go("c");
	const { code, stdout } = await shown.ended;
	expect(code).toBe(0);
	const lines = stdout.toString("utf8").split("\n");
	const of = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).map((line) => line.replace(/, \d.*/, ""));
	expect(of(/^ 1\||command 1:/)).toEqual([" 1| a1", " 1| a2", "    command 1: exit status 0"]);
	expect(of(/^ 2\||command 2:/)).toEqual([" 2| b1", " 2| b2", "    command 2: exit status 3"]);
	expect(of(/^ {4}(Cont|yes)|command 3:/)).toEqual(["    Continue? ", "    yes", "    command 3: exit status 0"]);
	expect(of(/^Two at once|^Done|^turn \d {2}|^ended/).map((line) => line.slice(0, 6))).toEqual([
		...["turn 1", "Two at", "turn 2", "turn 3", "Done.", "ended "],
	]);
	expect((await run.ended).code).toBe(0);
});

const SLOW = `
      - say: "First line.\\nSecond line.\\n${"and so on ".repeat(300)}"
        delay: 60s
`;

// Seen to fail without the connection to the supervisor: what is written is recorded when it is whole.
test("an answer is told while it is written", async () => {
	const { home, run } = scriptedRun(SLOW);
	const { shown, shows } = await follow(home, run);
	await shows("\nFirst line.\nSecond line.\n");
	expect(run.events().some(({ event }) => event === "turn_ended")).toBe(false);
	expect((await runProgram(["stop"], { home })).exit).toBe(0);
	expect((await shown.ended).code).toBe(0);
	expect(shown.stdoutSoFar()).toMatch(/\nturn 1 {2}.*\nFirst line\..*\nended {2}\S+ {2}stopped: /s);
	expect(shown.stdoutSoFar().split("First line.")).toHaveLength(2);
});

test("when the supervisor is killed the story ends, and says so", async () => {
	const { home, run } = scriptedRun(`\n      - run: 'echo begun; ${until("never")}'\n`);
	const { shown, shows } = await follow(home, run, "1");
	await shows("    begun\n");
	run.kill("SIGKILL");
	expect((await shown.ended).code).toBe(0);
	expect(shown.stdoutSoFar()).toMatch(/\n {4}command 1: cut off, end unknown\n\nended .*crashed: /);
});

test("a reader that goes away ends it", async () => {
	const { home, run, go } = scriptedRun(
		`\n      - run: 'while [ ! -e GATES/end ]; do echo more; sleep 0.02; done'\n      - say: Done.\n`,
	);
	await run.waitForEvent(({ event }) => event === "command_started");
	const line = startLine('"$@" show --follow | grep -m1 "^ *more"', { home });
	expect((await line.ended).stdout.toString("utf8")).toMatch(/more\n$/);
	go("end");
	expect((await run.ended).code).toBe(0);
});
