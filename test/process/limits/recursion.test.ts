/** Agents that go round in circles: a task handed on to a child unchanged, a command run again and again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

test("an agent may hand its own task on once; the next is refused with exit 4 and told what to do", async () => {
	// Seen to fail with the rule left out of `admit`: then the depth limit is what ends it, two levels further down.
	const task = 'agent "$(cat task)"; echo exit $?';
	const home = temporaryHome();
	writeFileSync(join(home, "task"), `\n${task.replaceAll(" ", "   ")}\n`);
	const program = startProgram(["run", "--model", "shell", task], { home });
	const { code, stdout } = await program.ended;
	const joined = program.events().flatMap((event) => (event.event === "agent_joined" ? [event.agent] : []));
	expect(joined).toEqual(["1", "1.1"]);
	const reason =
		"agents 1 and 1.1 above it already have exactly this task: do it yourself, or split it and give each agent a smaller part with its own description";
	const named = `${reason} (the task: agent "$(cat task)"; echo exit $?)`;
	expect([code, stdout.toString()]).toEqual([0, `agent: not started: ${named}\nexit 4\nexit 0\n`]);
	expect(program.events()).toContainEqual(
		expect.objectContaining({ event: "child_refused", parent: "1.1", code: "recursion", reason }),
	);
});

const POLLS = `agents:
  - turns:
${Array.from({ length: 6 }, () => '      - run: "echo not yet"').join("\n")}
      - run: "echo done"
      - say: "ready"
`;

test("from the fifth same result on the model is told, the agent is marked, and it goes on", async () => {
	// Seen to fail with `noteRepeats` left out of `run`.
	const home = temporaryHome();
	writeFileSync(join(home, "polls.yaml"), POLLS);
	const program = startProgram(["run", "--model", "script:polls.yaml", "wait for it"], { home });
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, "ready\n"]);
	const repeats = program.events().filter((event) => event.event === "agent_repeats");
	expect(repeats).toMatchObject([
		{ agent: "1", command: 5, times: 5 },
		{ agent: "1", command: 6, times: 6 },
	]);
	const transcript = readFileSync(join(await program.runDirectory(), "1", "transcript.jsonl"), "utf8");
	const results = [...transcript.matchAll(/"content":"((?:not yet|done)[^"]*)"/g)].map(([, text]) => text);
	const note = (nth: string) =>
		expect.stringMatching(`^not yet\\\\n\\[this command has given this result ${nth} times in a row.*\\]$`);
	expect(results).toEqual([...Array(4).fill("not yet\\n"), note("5"), note("6"), "done\\n"]);
	const { stdout: log } = await runProgram(["log"], { home });
	expect(log).toMatch(/ 1 +is repeating itself: command 5 gave the same result 5 times in a row\n/);
	const { stdout: json } = await runProgram(["ps", "--json", (await program.runDirectory()).split("/").at(-1) ?? ""], {
		home,
	});
	expect(JSON.parse(json)[0].agents[0]).toMatchObject({ state: "answer", repeats: null });
});
