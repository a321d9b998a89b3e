import { expect, test } from "vitest";
import { readRunFile } from "../../../src/record/read-run.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { endOf, requestsOf, runs, says, startApiRun } from "./api-run.ts";

const REPORT =
	"You can make no more calls and run no more commands. Report now what you have: what is done, what you found, what is left.";

test("with two turns there are two calls with tools and a last one without, whose text is the answer", async () => {
	const first = [says("I look."), runs("toolu_1", "echo one")];
	const second = [says("Once more."), runs("toolu_2", "echo two")];
	const { api, program } = await startApiRun(
		{ look: [{ content: first }, { content: second }, { content: [says("one and two, the rest is left")] }] },
		["--max-turns", "2", "look"],
	);
	expect(await endOf(program)).toEqual({
		exit: 3,
		stdout: "one and two, the rest is left\n",
		stderr: "agent 1: limit: turn limit reached (max-turns 2)\n",
	});
	expect(api.requests.map(({ body, refusal }) => [body.tool_choice, body.tools?.length, refusal])).toEqual([
		[undefined, 1, undefined],
		[undefined, 1, undefined],
		[{ type: "none" }, 1, undefined],
	]);
	const conversation = [
		{ role: "user", content: [says("look")] },
		{ role: "assistant", content: first },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "one\n" }] },
		{ role: "assistant", content: second },
		{
			role: "user",
			content: [
				{ type: "tool_result", tool_use_id: "toolu_2", content: "two\n" },
				says(`Stop here: turn limit reached (max-turns 2). ${REPORT}`),
			],
		},
	];
	expect(api.requests[2]?.body.messages).toEqual(conversation);
	const { values, damage } = readTranscript(await program.runDirectory(), "1");
	expect(damage).toEqual([]);
	expect(joined(values.filter((entry) => entry.role !== "note"))).toEqual([
		...conversation,
		{ role: "assistant", content: [says("one and two, the rest is left")] },
	]);
});

test("a bound on all turns counts a child's turns with its parent's, and every agent may still report", async () => {
	const { api, program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "count"; echo exit $?')] }, { content: [says("the child found one")] }],
			count: [{ content: [runs("toolu_2", "echo one")] }, { content: [says("one")] }],
		},
		["--max-total-turns", "2", "look"],
	);
	const reason = "turn limit reached (max-total-turns 2 from agent 1 down)";
	expect(await endOf(program)).toEqual({
		exit: 3,
		stdout: "the child found one\n",
		stderr: `agent 1: limit: ${reason}\n`,
	});
	expect(api.requests.map(({ body }) => body.tool_choice?.type)).toEqual([undefined, undefined, "none", "none"]);
	expect(requestsOf(api, "look")[1]?.body.messages.at(-1)?.content).toEqual([
		{ type: "tool_result", tool_use_id: "toolu_1", content: `one\nagent 1.1: limit: ${reason}\nexit 3\n` },
		says(`Stop here: ${reason}. ${REPORT}`),
	]);
	const turns = program.events().flatMap((event) => (event.event === "turn_started" ? [event] : []));
	expect(turns.map(({ agent, isLast }) => [agent, isLast])).toEqual([
		["1", false],
		["1.1", false],
		["1.1", true],
		["1", true],
	]);
});

test("a level that is refused asks the model nothing, and the reason is in the tool result of the level above", async () => {
	const { api, program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "deeper"')] }, { content: [says("done")] }],
			deeper: [{ content: [runs("toolu_2", 'agent "too deep"; echo exit $?')] }, { content: [says("did it myself")] }],
		},
		["--max-depth", "1", "look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect([requestsOf(api, "look").length, requestsOf(api, "deeper").length, api.requests.length]).toEqual([2, 2, 4]);
	expect(requestsOf(api, "deeper")[1]?.body.messages.at(-1)?.content).toEqual([
		{
			type: "tool_result",
			tool_use_id: "toolu_2",
			content:
				"agent: not started: depth limit reached (max-depth 0 below agent 1.1): do this task yourself, without starting agents (the task: too deep)\nexit 4\n",
		},
	]);
	const refusals = program.events().filter(({ event }) => event === "child_refused");
	expect(refusals).toEqual([expect.objectContaining({ parent: "1.1", code: "depth", task: "too deep" })]);
});

test("shortly before its time is up a run ends its command, and reports", async () => {
	const { api, program } = await startApiRun(
		{
			look: [
				{ content: [says("I look."), runs("toolu_1", "echo one; sleep 600")] },
				{ content: [says("So far: one.")] },
			],
		},
		["--max-time", "12s", "look"],
	);
	const reached = "time limit reached (max-time 12 s for agent 1 and all below it)";
	expect(await endOf(program)).toEqual({ exit: 3, stdout: "So far: one.\n", stderr: `agent 1: limit: ${reached}\n` });
	expect(JSON.stringify(api.requests.at(-1)?.body.messages.at(-1))).toMatch(
		/one.*stopped: time limit reached.*Stop here: time limit reached/,
	);
});

test("a run whose time is up stops in the middle of a call, and keeps what was said so far", async () => {
	const { program } = await startApiRun(
		{ look: [{ content: [says("I look."), runs("toolu_1", "echo one")] }, { silence: true }] },
		["--max-time", "8s", "look"],
	);
	expect(await endOf(program)).toEqual({
		exit: 3,
		stdout: "I look.\n",
		stderr: "agent 1: limit: time limit reached (max-time 8 s for agent 1 and all below it)\n",
	});
	const runFile = readRunFile(await program.runDirectory());
	expect(runFile).toMatchObject({ exitCode: 3, ending: { by: "limit", limit: "max-time" } });
});

/** As a request has it: what is known beside a message left out, and user messages that follow one another joined. */
function joined(entries: readonly { role: string; content: readonly object[] }[]) {
	const messages: { role: string; content: object[] }[] = [];
	for (const { role, content } of entries) {
		const last = messages.at(-1);
		if (last?.role === role) last.content.push(...content);
		else messages.push({ role, content: [...content] });
	}
	return messages;
}
