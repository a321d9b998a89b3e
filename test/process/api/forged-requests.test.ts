/** A client of its own making joins as a child, from a command, and says what no agent of ours says: whole program. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOf, requestsOf, runs, says, startApiRun } from "./api-run.ts";

const FORGES = join(import.meta.dirname, "../../fixtures/programs/forges.cjs");
const FORGERIES = ["a prompt", "a block", "an answer", "a second call"];

// Seen to be sent to the service, the block and the second call.
test("prompt and tools are the supervisor's, whatever an agent sends, who asks out of order is cut off alone, and the log has a line for it", async () => {
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
		...["a prompt: over", "a block: closed", "an answer: closed", "a second call: closed"],
		"I am well",
	]);
	expect(
		JSON.stringify(api.requests.map(({ body }) => ({ ...body, messages: body.messages.slice(0, 1) }))),
	).not.toContain("dishonest");
	const [prompted] = requestsOf(api, "honest");
	expect(prompted?.body.system).toContain("You are agent 1.1.");
	expect(
		program.events().flatMap((event) => (event.event === "client_refused" ? [[event.agent, event.reason]] : [])),
	).toEqual([
		["1.2", expect.stringMatching(/^"ask" of the wrong shape/)],
		["1.3", "a request that does not end with a user message"],
		["1.4", "a question while another one is open"],
	]);
});
