/** Answers as models really write them, whole program: each request that follows is one that the service takes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UserBlock } from "../../../src/core/model/message.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { runProgram, temporaryHome } from "../program.ts";
import { type Answers, endOf, runs, says, startApiRun } from "./api-run.ts";

const DONE: FakeAnswer = { content: [says("done")] };
const lastOf = (api: FakeApi) => (api.requests.at(-1)?.body.messages.at(-1)?.content ?? []) as UserBlock[];
const refusals = (api: FakeApi) => api.requests.flatMap(({ refusal }) => refusal ?? []);

async function ends(answers: Answers[string]) {
	const { api, program } = await startApiRun({ look: answers }, ["look"]);
	const end = await endOf(program);
	expect(refusals(api)).toEqual([]);
	return { api, program, end };
}

// Seen to fail with HTTP 400 ("lone surrogate", "ids must be unique") before validContent.
test("half a character in a command, ids used twice and no id at all: all run, and the next request is in order", async () => {
	const odd = [runs("a", "echo \ud800 x"), runs("a", "echo two"), runs("", "echo three")];
	const { api, end } = await ends([{ content: odd }, { content: [runs("a", "echo four")] }, DONE]);
	expect(end).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const results = api.requests[1]?.body.messages.at(-1)?.content as UserBlock[];
	expect(results).toMatchObject([
		{ tool_use_id: "a", content: "\ufffd x\n" },
		{ tool_use_id: "toolu_agentree_1_2", content: "two\n" },
		{ tool_use_id: "toolu_agentree_1_3", content: "three\n" },
	]);
	expect(lastOf(api)).toMatchObject([{ tool_use_id: "toolu_agentree_2_1", content: "four\n" }]);
});

test("a script's half characters reach neither its next request nor the transcript", async () => {
	const home = temporaryHome();
	const turn = '- calls: [{ name: bash, input: { command: "echo \\ud800 x" } }]';
	writeFileSync(join(home, "s.yaml"), `agents:\n  - turns:\n      ${turn}\n      - say: "{{output}}"\n`);
	const end = await runProgram(["run", "--model", "script:s.yaml", "go"], { home });
	expect(end).toEqual({ exit: 0, stdout: "\ufffd x\n", stderr: "" });
});

test("thirty calls in one answer, some of which cannot be run: one result an id, in their order", async () => {
	const content = Array.from({ length: 30 }, (_, n) => {
		if (n === 3) return { ...runs(`t${n}`, ""), name: "no such tool" };
		if (n === 7) return { type: "tool_use" as const, id: `t${n}`, name: "bash", json: '{"command":"touch nev' };
		if (n === 9) return { ...runs(`t${n}`, ""), input: { command: ["ls"] } };
		return runs(`t${n}`, `echo ${n}`);
	});
	const { api, end } = await ends([{ content }, DONE]);
	expect(end.exit).toBe(0);
	const results = lastOf(api).map((block) => block.type === "tool_result" && [block.tool_use_id, block.content]);
	expect(results).toEqual(
		content.map((_, n) => [`t${n}`, [3, 7, 9].includes(n) ? expect.stringMatching(/^Not run: /) : `${n}\n`]),
	);
});

test("text that is cut at the token limit goes on, and stdout has the whole of it", async () => {
	const cut = (text: string) => ({ content: [says(text)], stopReason: "max_tokens" });
	const { end } = await ends([cut("one two th"), cut("ree fo"), { content: [says("ur")] }]);
	expect(end).toEqual({ exit: 0, stdout: "one two three four\n", stderr: "" });
});

test("a cut that never ends is a failure, with all that was said on stdout", async () => {
	const cut = { content: [says("and so ")], stopReason: "max_tokens" };
	const { api, end } = await ends(Array.from({ length: 9 }, () => cut));
	expect(end).toEqual({
		exit: 1,
		stdout: `${"and so ".repeat(6)}\n`,
		stderr: "agent 1: failure: the model's answer was cut at its token limit (max_tokens), 6 times in a row\n",
	});
	expect(api.requests.length).toBe(6);
});

test("a call in which the token limit cut is never run, whole or not, and the model is told to use a smaller one", async () => {
	const open = {
		type: "tool_use" as const,
		id: "b",
		name: "bash",
		json: '{"command":"touch nev',
		isOpen: true as const,
	};
	const { api, program, end } = await ends([
		{ content: [says("I write."), runs("a", "touch never"), open], stopReason: "max_tokens" },
		DONE,
	]);
	expect(end).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(lastOf(api)).toMatchObject(
		["a", "b"].map((id) => ({ tool_use_id: id, content: expect.stringContaining("smaller command"), is_error: true })),
	);
	expect(program.events().some(({ event }) => event === "command_started")).toBe(false);
});

test("a pause is gone on with", async () => {
	const { end } = await ends([{ content: [says("so far")], stopReason: "pause_turn" }, DONE]);
	expect(end).toEqual({ exit: 0, stdout: "so far\n\ndone\n", stderr: "" });
});

test("an empty answer, or one that only thinks, is asked about once, and a second one is a failure", async () => {
	const ls: FakeAnswer = { content: [says("I look."), runs("a", "echo one")] };
	const thinks: FakeAnswer = { content: [{ type: "thinking", thinking: "hm", signature: "s" }] };
	const once = await ends([ls, ({ raw }) => (raw.includes("Your answer was empty") ? DONE : { content: [] })]);
	expect(once.end).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const { api, end } = await ends([ls, thinks]); // it counts answers by what comes back, so it thinks twice
	expect(end).toEqual({ exit: 1, stdout: "I look.\n", stderr: "agent 1: failure: the model gave an empty answer\n" });
	expect(api.requests.length).toBe(3);
});

test("a call that is no JSON is never run: the model writes it anew, and what it said is not lost", async () => {
	const bad = { type: "tool_use" as const, id: "a", name: "bash", json: '{"command":"touch nev' };
	const { api, end } = await ends([{ content: [says("I look."), bad] }, DONE]);
	expect(end.stdout).toBe("done\n");
	expect(lastOf(api)).toMatchObject([
		{ tool_use_id: "a", content: expect.stringContaining("not a complete JSON object") },
	]);
	const always = await ends(Array.from({ length: 9 }, () => ({ content: [says("I look."), bad] })));
	expect(always.end).toEqual({
		exit: 1,
		stdout: "I look.\n",
		stderr: "agent 1: failure: the model's tool calls were not valid JSON, 6 times in a row\n",
	});
});

test("the results of one answer share 200,000 characters, and each that is cut names its file", async () => {
	const content = Array.from({ length: 6 }, (_, n) =>
		runs(`t${n}`, `head -c 49000 /dev/zero | tr '\\0' ${n}; echo end`),
	);
	const { api } = await ends([{ content: [...content, runs("s", "echo short")] }, DONE]);
	const texts = lastOf(api).map((block) => (block.type === "tool_result" ? block.content : ""));
	expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(200_000);
	expect(texts.at(-1)).toBe("short\n");
	for (const text of texts.slice(0, 6)) {
		expect(text).toMatch(/the whole is in \/\S+\/1\/out\/000\d\.log/);
		expect(text).toMatch(/end\n$/);
	}
});

test("thinking that the service refuses is dropped, and the run goes on", async () => {
	const blame: FakeAnswer = {
		error: { status: 400, type: "invalid_request_error", message: "Invalid `signature` in `thinking` block" },
	};
	const thinks = { type: "thinking" as const, thinking: "hm", signature: "s" };
	const isThinking = (raw: string) => raw.includes('"signature"');
	const { api, program } = await startApiRun(
		{ look: [{ content: [thinks, runs("a", "echo one")] }, ({ raw }) => (isThinking(raw) ? blame : DONE)] },
		["look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(api.requests.map(({ raw }) => isThinking(raw))).toEqual([false, true, false]);
});
