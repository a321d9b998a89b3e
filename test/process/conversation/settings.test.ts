/** What a person changes, asks beside the conversation, and has left out, in the middle of it. */
import { expect, test, vi } from "vitest";
import { readAgentFile, readRunFile } from "../../../src/record/read-run.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { Person, type Replies, startConversation, startTalkService } from "./conversation-run.ts";

const THOUGHT = { type: "thinking", thinking: "hm", signature: "s" };
const OTHER = "claude-sonnet-5-5";

async function talk(replies: Replies, options: Parameters<typeof startConversation>[0] = {}) {
	const api = await startTalkService({ ...replies, next: { content: [says("went on")] } });
	const program = startConversation({ api, ...options });
	const person = await Person.joins(program);
	return { api, program, person };
}

async function hasAnswered(person: Person, turns: number): Promise<void> {
	await person.until(() => person.state === "listening" && person.run.agents["1"]?.turns === turns);
}

const lastBody = (api: FakeApi) => api.requests.at(-1)?.body;
const textsOf = (api: FakeApi) =>
	(lastBody(api)?.messages ?? []).map(({ content }) =>
		content.map((block) => ("text" in block ? block.text : block.type)),
	);

test("another model and effort hold from the next call on, without the thoughts of the one before, and after a resume", async () => {
	const begin = { content: [THOUGHT, says("hello")] as never };
	const { api, program, person } = await talk({ begin });
	await hasAnswered(person, 1);
	expect(await person.asks({ say: "change", agent: "1", model: OTHER, effort: "high" })).toMatchObject({
		...{ say: "changed", model: OTHER, effort: "high" },
	});
	await person.says("next");
	await hasAnswered(person, 2);
	expect(lastBody(api)).toMatchObject({ model: OTHER, output_config: { effort: "high" } });
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next"]]);
	const directory = await program.runDirectory();
	expect(readAgentFile(directory, "1")).toMatchObject({ model: OTHER, effort: "high" });
	expect(readRunFile(directory).model).toBe(OTHER);
	program.kill("SIGKILL");
	await program.ended;
	const again = startConversation({ api, home: program.home, resume: {}, model: OTHER });
	const back = await Person.joins(again);
	await back.until(() => back.state === "listening");
	await back.says("next 2");
	await hasAnswered(back, 3);
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next"], ["went on"], ["next 2"]]);
	await back.asks({ say: "close" });
});

// Seen to fail: the change wrote the name back into the file that the run had begun with.
test("a conversation keeps the name that it was given, when its model is changed", async () => {
	const { program, person } = await talk({ begin: { content: [says("hello")] } }, { settings: { name: "before" } });
	await hasAnswered(person, 1);
	expect(await person.asks({ say: "name", name: "the parser" })).toEqual({ say: "named", name: "the parser" });
	await person.asks({ say: "change", agent: "1", model: OTHER });
	expect(readRunFile(await program.runDirectory())).toMatchObject({ name: "the parser", model: OTHER });
	await person.asks({ say: "close" });
});

test("a model that is changed while it thinks leaves no thoughts behind, either", async () => {
	let goOn = () => {};
	const held = new Promise<void>((resolve) => {
		goOn = resolve;
	});
	const begin: FakeAnswer = {
		content: [THOUGHT, says("hello")] as never,
		beforeEvent: (event) => (event === "message_delta" ? held : undefined),
	};
	const { api, program, person } = await talk({ begin });
	await person.until(() => person.heard.some(({ say }) => say === "delta"));
	await person.asks({ say: "change", agent: "1", model: OTHER });
	goOn();
	await hasAnswered(person, 1);
	const { values } = readTranscript(await program.runDirectory(), "1");
	expect(values.find(({ role }) => role === "assistant")).toMatchObject({ content: [says("hello")] });
	await person.says("next");
	await hasAnswered(person, 2);
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next"]]);
	await person.asks({ say: "close" });
});

test("what cannot be is refused: an unknown model, one that answers otherwise, a limit that makes no sense", async () => {
	const { person } = await talk({ begin: { content: [says("hello")] } });
	await hasAnswered(person, 1);
	const refused = async (change: object) =>
		(await person.asks({ say: "change", agent: "1", ...change })) as { reason: string };
	expect((await refused({ model: "opuss" })).reason).toMatch(/opuss/);
	expect((await refused({ model: "shell" })).reason).toMatch(/^shell cannot continue a conversation of/);
	expect((await refused({ limits: { maxTurns: 0 } })).reason).toBe("--max-turns: at least 1, not 0");
	expect((await refused({ limits: { maxTurns: null } })).reason).toBe(
		"--max-turns cannot be removed: set it to a number",
	);
	await person.asks({ say: "close" });
});

test("a limit that is widened lets a root go on that had reached it, and waits for no new message", async () => {
	const call = { content: [runs("toolu_1", "echo hi")] };
	const { person, program } = await talk(
		{ begin: call, "Stop here": { content: [says("report")] } },
		{ limits: { maxTotalTurns: 1 } },
	);
	await hasAnswered(person, 1);
	expect(await person.says("next")).toMatchObject({ say: "refused" });
	expect(await person.asks({ say: "change", agent: "1", limits: { maxTotalTurns: 9, maxBudgetUsd: 2 } })).toMatchObject(
		{
			...{ say: "changed", limits: { maxTotalTurns: 9, maxBudgetUsd: 2 } },
		},
	);
	expect(readRunFile(await program.runDirectory()).limits).toMatchObject({ maxTotalTurns: 9, maxBudgetUsd: 2 });
	expect(await person.says("next")).toMatchObject({ say: "sent" });
	await hasAnswered(person, 2);
	const without = await person.asks({ say: "change", agent: "1", limits: { maxBudgetUsd: null } });
	expect(without).toMatchObject({ limits: expect.not.objectContaining({ maxBudgetUsd: 2 }) });
	await person.asks({ say: "close" });
});

test("older rounds are replaced by a summary that has what the person wants to keep", async () => {
	const long = "x".repeat(3_000);
	const { api, person } = await talk({
		begin: { content: [says(`first ${long}`)] },
		"The person asks for a summary": { content: [says("what was said")] },
	});
	await hasAnswered(person, 1);
	await person.says("next");
	await hasAnswered(person, 2);
	await person.says("next again");
	await hasAnswered(person, 3);
	expect(await person.asks({ say: "compact", agent: "1", keep: "the names" })).toEqual({
		say: "compacting",
		agent: "1",
	});
	await person.until(() => person.run.agents["1"]?.compactions === 1 && person.state === "listening");
	expect(textsOf(api).at(-1)?.at(-1)).toMatch(/ Above all, keep: the names$/);
	await person.says("next to last");
	await hasAnswered(person, 4);
	expect(JSON.stringify(textsOf(api))).not.toContain(long);
	expect(JSON.stringify(textsOf(api))).toContain("what was said");
	expect(api.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
	await person.asks({ say: "close" });
});

test("where nothing is older there is nothing to replace, and a root at work is not asked", async () => {
	const { person } = await talk({
		begin: { content: [says("hello")] },
		wait: { content: [runs("toolu_1", "sleep 1000")] },
	});
	await hasAnswered(person, 1);
	await person.asks({ say: "compact", agent: "1" });
	await person.until(() =>
		Boolean(person.run.agents["1"]?.state.is === "listening" && person.run.agents["1"].state.reason),
	);
	expect(person.run.agents["1"]?.state).toMatchObject({
		reason: expect.stringMatching(/^there are no older messages/),
	});
	await person.says("wait");
	await person.until(() => person.run.agents["1"]?.running.length === 1);
	expect(await person.asks({ say: "compact", agent: "1" })).toMatchObject({ say: "refused" });
	await person.interrupts();
	await person.listens(2);
	await person.asks({ say: "close" });
});

test("a question beside the conversation is answered from it, charged, and leaves nothing in it, also while a command runs", async () => {
	const { api, person } = await talk({
		"how far": { content: [says("half way")] },
		begin: { content: [runs("toolu_1", "sleep 1000")] },
	});
	await person.until(() => person.run.agents["1"]?.running.length === 1);
	const before = person.run.agents["1"]?.usage.output ?? 0;
	expect(await person.asks({ say: "aside", agent: "1", text: "how far?" })).toMatchObject({
		say: "aside_answer",
		text: "half way",
	});
	expect(person.heard.flatMap((one) => (one.say === "aside_delta" ? [one.text] : [])).join("")).toBe("half way");
	expect(textsOf(api)).toEqual([
		["begin", expect.stringMatching(/^\[A side question from the person[\s\S]*how far\?$/)],
	]);
	await vi.waitFor(() => expect(person.run.agents["1"]?.usage.output).toBeGreaterThan(before), WAIT);
	await person.interrupts();
	await person.listens();
	await person.says("next");
	await hasAnswered(person, 2);
	expect(JSON.stringify(lastBody(api)?.messages)).not.toContain("how far");
	expect(api.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
	await person.asks({ say: "close" });
});

// Seen to fail: each call was an ended question of its own, and the answer told the price of the second one alone.
test("a question beside the conversation that the model answers by a call is asked once more, and told with the price of both", async () => {
	let asked = 0;
	const { person } = await talk({
		"how far": () => ({ content: [asked++ === 0 ? runs("toolu_2", "ls") : says("half way")] }),
		begin: { content: [says("hello")] },
	});
	await hasAnswered(person, 1);
	const before = person.run.agents["1"]?.usage.output ?? 0;
	const answer = await person.asks({ say: "aside", agent: "1", text: "how far?" });
	expect(answer).toMatchObject({ say: "aside_answer", text: "half way" });
	const ended = person.events.filter(({ event }) => event === "aside_ended");
	expect([asked, ended.length]).toEqual([2, 1]);
	const spent = (person.run.agents["1"]?.usage.output ?? 0) - before;
	expect(answer).toMatchObject({ usage: { output: spent } });
	await person.asks({ say: "close" });
});

test("what fills a context of which the service has counted nothing is estimated, and said to be", async () => {
	const { person } = await talk({ begin: { content: [says("uncounted")], usage: { input: 0, output: 0 } } });
	await hasAnswered(person, 1);
	const context = await person.asks({ say: "context", agent: "1" });
	expect(context).toMatchObject({ isEstimated: true, parts: { system: expect.toSatisfy((tokens) => tokens > 100) } });
	await person.asks({ say: "close" });
});

test("what fills the context is told in parts that sum up to what the service has counted", async () => {
	const usage = { input: 900, output: 100 };
	const { person } = await talk({
		begin: { content: [runs("toolu_1", "seq 200")] },
		"200": { content: [says("counted")], usage },
	});
	await hasAnswered(person, 2);
	const context = await person.asks({ say: "context", agent: "1" });
	if (context?.say !== "context") throw new Error(JSON.stringify(context));
	const sum = Object.values(context.parts).reduce((all, part) => all + part, 0);
	expect(Math.abs(sum - 1000)).toBeLessThan(6); // each part is rounded
	expect(context.parts.results).toBeGreaterThan(0);
	expect(context.parts.system).toBeGreaterThan(context.parts.messages);
	expect(context).toMatchObject({ windowTokens: 1_000_000, compactAtTokens: expect.any(Number) });
	await person.asks({ say: "close" });
});
