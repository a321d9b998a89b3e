/** An agent can never answer a question: not its own, nor one of its parent, its child or its sibling, however it goes about it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { startAsking } from "./asking-run.ts";

const TRIES = [
	"agent answer 1 allow",
	"env -i PATH=$PATH HOME=$HOME XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR AGENTREE_HOME=$AGENTREE_HOME agent answer 1 allow",
	"setsid -w agent answer 1 allow",
	"setsid -w env -u AGENTREE_AGENT -u AGENTREE_TOKEN -u AGENTREE_SOCKET agent answer 1 allow",
	"unshare --user --map-root-user --pid --fork agent answer 1 allow",
];

/** `agent ask` in the background of the agent that asks, and the attempts of the agent that answers. */
test.each([
	["its own", "agent ask own & TRY"],
	["its child's", `agent "agent ask child" & TRY`],
	["its parent's", `agent ask parent & agent 'TRY'`],
	["its sibling's", `agent "agent ask sibling" & agent 'TRY'`],
])("%s question no agent answers", async (_, line) => {
	const wait = "until [ -e asked ]; do sleep 0.01; done";
	const tries = TRIES.map((one) => `${one} >> tried 2>&1; echo "exit $?" >> tried`)
		.concat("touch over")
		.join("; ")
		.replaceAll("'", `'\\''`);
	const run = startAsking(`${line.replace("TRY", `${wait}; ${tries}`)}; wait`);
	await run.asked();
	writeFileSync(join(run.home, "asked"), "");
	const tried = join(run.home, "tried");
	await vi.waitFor(() => expect(existsSync(join(run.home, "over"))).toBe(true), WAIT);
	const said = readFileSync(tried, "utf8");
	expect(said.match(/^exit [1-9]\d*$/gm)).toHaveLength(TRIES.length);
	expect(said).toContain("only a person can answer questions");
	expect(said).not.toMatch(/answered \S+#1/);
	expect((await run.answer("1", "from the person")).exit).toBe(0);
	await run.printed();
	expect(run.events().filter(({ event }) => event === "question_answered")).toMatchObject([
		{ answer: { is: "words", text: "from the person" } },
	]);
});
