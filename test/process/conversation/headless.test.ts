/** A program goes on with a conversation that a person has left: one more turn, and nothing but its answer on stdout. */
import { expect, test } from "vitest";
import { readRunFile } from "../../../src/record/read-run.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { KEY, runs, says } from "../api/api-run.ts";
import { type ProgramOptions, runProgram } from "../program.ts";
import { Person, startConversation, startTalkService } from "./conversation-run.ts";

const HELD: FakeAnswer = {
	content: [says("so far and more")],
	beforeEvent: (event) => (event === "content_block_stop" ? new Promise<void>(() => {}) : undefined),
};

/** A conversation that was left as its terminal was closed, when it stood so. */
async function left(begin: FakeAnswer, isThere: (person: Person) => boolean) {
	const api = await startTalkService({ next: { content: [says("went on")] }, begin });
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.until(() => isThere(person));
	program.kill("SIGHUP");
	await program.ended;
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	const agent = (args: string[], options: ProgramOptions = {}) =>
		runProgram(args, { home: program.home, cwd: program.home, env, ...options });
	return { api, agent, program };
}

const listens = (person: Person) => person.state === "listening";
const textsOf = (api: FakeApi) =>
	(api.requests.at(-1)?.body.messages ?? []).map(({ content }) =>
		content.map((block) => ("text" in block ? block.text : block.type)),
	);

test("one more turn of a conversation that had listened has the message alone, as an argument and from a pipe, and stays a conversation", async () => {
	const { api, agent, program } = await left({ content: [says("hello")] }, listens);
	expect(await agent(["run", "-c", "next 1"])).toEqual({ exit: 0, stdout: "went on\n", stderr: expect.any(String) });
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next 1"]]);
	expect(await agent(["run", "-c"], { stdin: "next 2" })).toMatchObject({ exit: 0, stdout: "went on\n" });
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next 1"], ["went on"], ["next 2"]]);
	expect(readRunFile(await program.runDirectory()).isConversation).toBe(true);
	const again = startConversation({ api, home: program.home, resume: {} });
	const back = await Person.joins(again);
	await back.until(() => listens(back));
	await back.says("next 3");
	await back.until(() => listens(back) && api.requests.length === 4);
	expect(textsOf(api).slice(-2)).toEqual([["went on"], ["next 3"]]);
	await back.asks({ say: "close" });
});

test("without a message its last answer is printed, as it was", async () => {
	const { api, agent } = await left({ content: [says("hello")] }, listens);
	expect(await agent(["run", "-c"])).toMatchObject({ exit: 0, stdout: "hello\n" });
	expect(api.requests).toHaveLength(1);
});

test.each([
	{
		when: "in the middle of a call",
		begin: HELD,
		isThere: (person: Person) => person.heard.some(({ say }) => say === "delta"),
	},
	{
		when: "in the middle of a command",
		begin: { content: [runs("toolu_1", "sleep 1000")] },
		isThere: ({ run }: Person) => run.agents["1"]?.running.length === 1,
	},
])("one that was left $when is told so, with the message", async ({ begin, isThere }) => {
	const { api, agent } = await left(begin, isThere);
	expect(await agent(["run", "-c", "next"])).toMatchObject({ exit: 0, stdout: "went on\n" });
	expect(textsOf(api).at(-1)?.at(-1)).toMatch(/^You were interrupted \([\s\S]*\n\nAlso: next$/);
	expect(api.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
});
