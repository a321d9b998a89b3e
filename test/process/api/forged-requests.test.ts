/** A client of its own making joins as a child, from a command, and says what no agent of ours says: whole program. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOf, requestsOf, runs, says, startApiRun } from "./api-run.ts";

const FORGES = join(import.meta.dirname, "../../fixtures/programs/forges.cjs");
const FORGERIES = ["a task", "a prompt", "an answer", "a summary", "a need"];

// Seen to be sent to the service, each of them, and the summary to be in force.
test("the service gets nothing that an agent has made up, each forger is cut off alone, and the log has a line for it", async () => {
	const forge = FORGERIES.map((forgery) => `node ${FORGES} "${forgery}"`).join("; ");
	const first = { content: [runs("a", `${forge}; agent "honest child"`)] };
	const child = { content: [says("I am well")] };
	const { api, program } = await startApiRun(
		{
			go: [first, ({ body }) => ({ content: [says(JSON.stringify(body.messages.at(-1)?.content[0]))] })],
			"honest child": [child],
		},
		["go"],
	);
	const { exit, stdout } = await endOf(program);
	expect(exit).toBe(0);
	const printed: string = JSON.parse(stdout).content;
	// A forger that is cut off is ended too: bash says "Terminated" of one that did not go by itself first.
	const said = printed.split("\n").filter((line) => line !== "" && line !== "Terminated");
	expect(said).toEqual([
		...["a task: closed", "a prompt: answer", "an answer: closed", "a summary: closed"],
		"a need: ask_refused a summary is written when the context is nearly full, and it is not",
		"I am well",
	]);
	expect(
		JSON.stringify(api.requests.map(({ body }) => ({ ...body, messages: body.messages.slice(0, 1) }))),
	).not.toContain("dishonest");
	const [prompted] = requestsOf(api, "honest");
	expect(requestsOf(api, "honest")).toHaveLength(1);
	expect(prompted?.body.system).toContain("You are agent 1.2.");
	expect(
		program.events().flatMap((event) => (event.event === "client_refused" ? [[event.agent, event.reason]] : [])),
	).toEqual([
		["1.1", "message 0 of a request has what was not recorded"],
		["1.3", "message 1 of a request has an answer that the model has not given"],
		["1.4", "a compaction with a summary that the model has not written"],
	]);
});
