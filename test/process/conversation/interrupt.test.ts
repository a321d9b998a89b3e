/** A person interrupts the root at every moment of its work: what was done stays, and the service takes the next request. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Message } from "../../../src/core/model/message.ts";
import { INTERRUPTED_BY_PERSON } from "../../../src/core/model/message-marks.ts";
import type { ModelDelta } from "../../../src/core/model/model.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { Person, type Replies, startConversation, startTalkService } from "./conversation-run.ts";

const NOTE = { type: "text", text: INTERRUPTED_BY_PERSON };
const THOUGHT = { type: "thinking", thinking: "hm hm hm", signature: "s" };

/** Streams the blocks, and stops forever at the `n`th event of that name. */
function heldAt(event: string, n: number, ...content: object[]): FakeAnswer {
	let seen = 0;
	return {
		content: content as never,
		beforeEvent: (name) => {
			if (name === event) seen++;
			return name === event && seen > n ? new Promise<void>(() => {}) : undefined;
		},
	};
}

async function talk(replies: Replies, options: Parameters<typeof startConversation>[0] = {}) {
	const api = await startTalkService({ ...replies, next: { content: [says("went on")] } });
	const program = startConversation({ api, ...options });
	const person = await Person.joins(program);
	return { api, program, person };
}

/** The person says something more; gives the messages of the request that has it. */
async function goesOn({ api, person }: { api: FakeApi; person: Person }): Promise<Message[]> {
	await person.says("next");
	await person.until(() => person.run.agents["1"]?.state.is === "listening" && !person.run.agents["1"].messages);
	await vi.waitFor(() => expect(lastRequest(api).at(-1)?.content.at(-1)).toMatchObject({ text: "next" }), WAIT);
	expect(api.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
	return lastRequest(api);
}

function lastRequest(api: FakeApi): Message[] {
	return (api.requests.at(-1)?.body.messages ?? []).map(({ role, content }) => {
		const unmarked = (content as object[]).map((block) => ({ ...block, cache_control: undefined }));
		return JSON.parse(JSON.stringify({ role, content: unmarked }));
	});
}

function said(person: Person, kind: ModelDelta["kind"] = "text"): string {
	return person.heard
		.flatMap((one) => (one.say === "delta" && one.delta.kind === kind ? [one.delta.text] : []))
		.join("");
}

test.each<{ when: string; seen: ModelDelta["kind"]; answer: FakeAnswer; kept: object[] }>([
	{
		when: "text streams",
		seen: "text",
		answer: heldAt("content_block_delta", 2, says("so far and more to come")),
		kept: [says("so far and mor")],
	},
	{
		when: "thinking streams",
		seen: "thinking",
		answer: heldAt("content_block_delta", 1, THOUGHT, says("x")),
		kept: [],
	},
	{
		when: "a call streams behind thoughts and text",
		seen: "command",
		answer: heldAt("content_block_delta", 8, THOUGHT, says("look"), runs("toolu_1", "touch ran")),
		kept: [says("look")],
	},
])("while $when: what was said is kept, and nothing is run", async ({ seen, answer, kept }) => {
	const { api, program, person } = await talk({ begin: answer });
	await person.until(() => said(person, seen) !== "" && (kept.length === 0 || said(person) === Object(kept[0]).text));
	expect(await person.interrupts()).toEqual({ say: "interrupted", agent: "1", was: "thinking" });
	await person.listens();
	const task = says("begin");
	expect(await goesOn({ api, person })).toEqual(
		kept.length === 0
			? [{ role: "user", content: [task, NOTE, says("next")] }]
			: [
					{ role: "user", content: [task] },
					{ role: "assistant", content: kept },
					{ role: "user", content: [NOTE, says("next")] },
				],
	);
	expect(existsSync(join(program.home, "ran"))).toBe(false);
	const names = person.events.map(({ event }) => event);
	expect(names.slice(names.indexOf("agent_interrupted")).slice(0, 3)).toEqual([
		...["agent_interrupted", "turn_cancelled", "agent_listening"],
	]);
	const { values } = readTranscript(await program.runDirectory(), "1");
	expect(values.flatMap((entry) => (entry.role === "assistant" ? [entry.stopReason] : []))).toEqual([
		...(kept.length === 0 ? [] : ["interrupted"]),
		"end_turn",
	]);
});

test("while a command runs: it is ended at once, and what it had printed and that it was interrupted is its result", async () => {
	const { api, program, person } = await talk({ begin: { content: [runs("toolu_1", "echo half; exec sleep 1000")] } });
	await person.until(() => person.run.agents["1"]?.running.length === 1);
	await vi.waitFor(() => expect(existsSync(join(program.home, "agentree"))).toBe(true), WAIT);
	expect(await person.interrupts()).toMatchObject({ say: "interrupted", was: "running" });
	await person.listens();
	const [, , results] = await goesOn({ api, person });
	expect(results?.content).toEqual([
		expect.objectContaining({
			type: "tool_result",
			content: expect.stringMatching(/\[stopped: the person interrupted\]$/),
		}),
		...[NOTE, says("next")],
	]);
});

test("while child agents work: they are ended with their command, and no command that stood behind them runs", async () => {
	const line = "agent child; touch behind";
	const { person, program } = await talk({
		begin: { content: [runs("toolu_1", line)] },
		child: { content: [runs("toolu_2", "sleep 1000")] },
	});
	await person.until(() => person.run.agents["1.1"]?.running.length === 1);
	await person.interrupts();
	await person.listens();
	await person.until(() => person.run.agents["1.1"]?.state.is === "ended");
	expect(person.run.agents["1.1"]?.state).toMatchObject({
		ending: { by: "stopped", reason: "the person interrupted agent 1" },
	});
	expect(existsSync(join(program.home, "behind"))).toBe(false);
});

test("child agents in the background go on, while the root listens", async () => {
	const { person } = await talk({
		begin: { content: [runs("toolu_1", "agent child > /dev/null & sleep 0.2; echo started")] },
		started: { content: [says("it is at work")] },
		child: { content: [runs("toolu_2", "sleep 1000")] },
	});
	await person.listens();
	await person.until(() => person.run.agents["1.1"]?.running.length === 1);
	expect(await person.interrupts()).toMatchObject({ was: "listening" });
	expect(person.run.agents["1.1"]?.state.is).toBe("running");
	await person.asks({ say: "close" });
});

test.each<{ when: string; error: { status: number; type: string; message: string; headers?: Record<string, string> } }>(
	[
		{
			when: "its call is to be made again",
			error: { status: 503, type: "api_error", message: "no", headers: { "retry-after": "100" } },
		},
		{
			when: "calls are held back",
			error: { status: 429, type: "rate_limit_error", message: "no", headers: { "retry-after": "200" } },
		},
	],
)("while $when: it waits no longer", async ({ error }) => {
	const { person, program } = await talk({ begin: { error } });
	await person.until(() => program.events().some(({ event }) => event === "turn_retrying")); // perhaps before it joined
	expect(await person.interrupts()).toMatchObject({ was: "thinking" });
	await person.listens();
	expect(person.run.agents["1"]?.state).not.toHaveProperty("reason");
});

test("while it is paused, also hard, with a frozen command: it listens", async () => {
	const { person } = await talk({ begin: { content: [runs("toolu_1", "sleep 1000")] } });
	await person.until(() => person.run.agents["1"]?.running.length === 1);
	await person.asks({ say: "pause", agent: "1", isHard: true });
	await person.interrupts();
	await person.listens();
	await person.asks({ say: "continue", agent: "1" });
	await person.says("next");
	await person.listens(2);
});

test("a message with an interruption behind it is answered at once", async () => {
	const { api, person } = await talk({ begin: heldAt("content_block_delta", 1, says("so far and more")) });
	await person.until(() => said(person) !== "");
	expect(await person.says("next")).toMatchObject({ arrives: "answer_end" });
	await person.interrupts();
	await person.until(() => person.run.agents["1"]?.turns === 2 && person.state === "listening");
	expect(lastRequest(api).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
	expect(lastRequest(api).at(-1)?.content).toEqual([NOTE, says("next")]);
});

test("a message that is taken back is not delivered", async () => {
	const { api, person } = await talk({ begin: heldAt("content_block_delta", 1, says("so far and more")) });
	await person.until(() => said(person) !== "");
	await person.says("never");
	expect(await person.asks({ say: "withdraw", agent: "1" })).toEqual({ say: "withdrawn", agent: "1", text: "never" });
	expect(await person.asks({ say: "withdraw", agent: "1" })).toMatchObject({ say: "refused" });
	await person.interrupts();
	await person.listens();
	expect(JSON.stringify(await goesOn({ api, person }))).not.toContain("never");
});
