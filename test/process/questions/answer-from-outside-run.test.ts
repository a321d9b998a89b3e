/** What a person let run outside of the sandbox is the agent's all the same: it answers no question. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryHome } from "../program.ts";
import { startAsking } from "./asking-run.ts";

const TRIES = `
try() { "$@" </dev/null; echo "tried $?"; }
try agent answer 1 allow
try env -i PATH="$PATH" HOME="$HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" AGENTREE_HOME="$AGENTREE_HOME" agent answer 1 allow
try setsid -w agent answer 1 allow
try setsid -w env -u AGENTREE_AGENT -u AGENTREE_TOKEN -u AGENTREE_SOCKET agent answer 1 allow
(setsid bash -c 'sleep 1; env -i PATH="'"$PATH"'" HOME="'"$HOME"'" XDG_RUNTIME_DIR="'"$XDG_RUNTIME_DIR"'" AGENTREE_HOME="'"$AGENTREE_HOME"'" agent answer 1 allow; echo "tried $?"; echo > over' >late 2>&1 &) &
wait
while ! [ -e over ]; do sleep 0.1; done; cat late
`;

test("a command outside of the sandbox answers no question, however it goes about it", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "tries.sh"), TRIES);
	const run = startAsking(
		"agent ask 'first?' & until [ -e go ]; do sleep 0.1; done; agent ask --run 'bash tries.sh 2>&1'; wait",
		undefined,
		home,
	);
	await run.asked();
	writeFileSync(join(home, "go"), "");
	await run.asked(2);
	expect((await run.answer("2", "allow")).exit).toBe(0);
	await run.waitForEvent(({ event }) => event === "outside_ended");
	await run.answer("1", "no");
	const printed = await run.printed();
	expect(printed.match(/tried [1-9]/g)).toHaveLength(5);
	expect(run.events().filter(({ event }) => event === "question_answered")).toMatchObject([
		{ question: 2 },
		{ question: 1, answer: { is: "no" } },
	]);
});
