/** An agent can never answer a question: not its own, nor one of its parent, its child or its sibling, however it goes about it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
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
	const wait = 'until agent log "$RUN" | grep -q "question 1"; do :; done';
	const tries = TRIES.map((one) => `${one} >> tried 2>&1; echo "exit $?" >> tried`)
		.concat("touch over")
		.join("; ")
		.replaceAll("'", `'\\''`);
	const run = startAsking(
		`export RUN=$(echo "$AGENTREE_AGENT" | cut -d/ -f1); ${line.replace("TRY", `${wait}; ${tries}`)}; wait`,
	);
	await run.asked();
	const tried = join(run.home, "tried");
	await vi.waitFor(() => expect(existsSync(join(run.home, "over"))).toBe(true), { timeout: 30_000, interval: 20 });
	const said = readFileSync(tried, "utf8");
	expect(said.match(/only a person answers what agents ask|exit 4/g)?.length).toBeGreaterThanOrEqual(2 * 3);
	expect(said).not.toMatch(/answered question|exit 0/);
	expect((await run.answer("1", "from the person")).exit).toBe(0);
	await run.printed();
	expect(run.events().filter(({ event }) => event === "question_answered")).toMatchObject([
		{ answer: { is: "words", text: "from the person" } },
	]);
});
