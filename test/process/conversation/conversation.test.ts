/** A conversation from its first answer to its end, and its next supervisor after each kind of end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_TYPED_CHARS } from "../../../src/core/model/message-marks.ts";
import { INTERRUPTED } from "../../../src/core/model/placeholder-texts.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import type { FakeAnswer, FakeApi } from "../../fixtures/fake-api.ts";
import { runs, says } from "../api/api-run.ts";
import { type Program, runProgram, temporaryHome } from "../program.ts";
import { Person, type Replies, startConversation, startTalkService } from "./conversation-run.ts";

const NEVER: FakeAnswer = { content: [says("so far and more")], beforeEvent: (event) => holds(event) };

function holds(event: string): Promise<void> | undefined {
	return event === "content_block_stop" ? new Promise<void>(() => {}) : undefined;
}

async function talk(replies: Replies, options: Parameters<typeof startConversation>[0] = {}) {
	const api = await startTalkService({ next: { content: [says("went on")] }, ...replies });
	const program = startConversation({ api, ...options });
	const person = await Person.joins(program);
	return { api, program, person };
}

const lastMessages = (api: FakeApi) => api.requests.at(-1)?.body.messages ?? [];
const textsOf = (api: FakeApi) =>
	lastMessages(api).map(({ content }) => content.map((block) => ("text" in block ? block.text : block.type)));
const hello: Replies = { begin: { content: [says("hello")] } };

test("the root listens after its answer, goes on in one history with what the person says, and ends by its last answer", async () => {
	const { api, program, person } = await talk(hello);
	await person.until(() => person.state === "listening");
	expect(await person.says("next, please")).toEqual({ say: "sent", agent: "1", arrives: "next_call" });
	await person.until(() => person.run.agents["1"]?.turns === 2 && person.state === "listening");
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next, please"]]);
	expect(JSON.stringify(api.requests[0]?.body.system)).toContain("in a conversation with a person");
	expect(await person.asks({ say: "close" })).toBeUndefined();
	expect((await program.ended).code).toBe(0);
	expect(readRunFile(await program.runDirectory())).toMatchObject({ isConversation: true, ending: { by: "answer" } });
});

test("people see that it waits for them", async () => {
	const { program, person } = await talk(hello);
	await person.until(() => person.state === "listening");
	const [ps, why] = await Promise.all(
		[["ps"], ["why"]].map((args) => runProgram(args, { home: program.home, cwd: program.home })),
	);
	expect(ps?.stdout).toMatch(/waiting for you/);
	expect(why?.stdout).toMatch(/it has been waiting for you since/);
	await person.asks({ say: "close" });
});

test("a message may be as long as a person may write one", async () => {
	const api = await startTalkService({
		begin: { content: [says("Good day.")] },
		long: { content: [says("So long.")] },
	});
	const person = await Person.joins(startConversation({ api }));
	await person.listens();
	const text = `${"漢\u0001".repeat(MAX_TYPED_CHARS / 2 - 2)}long`;
	expect(await person.says(text)).toMatchObject({ say: "sent" });
	await person.listens(2);
	expect(api.requests.at(-1)?.body.messages.at(-1)?.content).toMatchObject([{ text }]);
});

test("a call that fails for good ends nothing: the reason is told, and the next message tries again", async () => {
	const refused: FakeAnswer = { error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } };
	const { api, person } = await talk({ begin: refused });
	await person.until(() => person.state === "listening");
	expect(person.run.agents["1"]?.state).toMatchObject({ reason: expect.stringContaining("invalid x-api-key") });
	await person.says("next");
	await person.until(() => person.state === "listening" && person.run.agents["1"]?.turns === 2);
	expect(textsOf(api)).toEqual([["begin", "next"]]);
	await person.asks({ say: "close" });
});

test("at max-turns the root reports, listens, says how to go on, and has its turns anew with the next message", async () => {
	const call = { content: [runs("toolu_1", "echo hi")] };
	const { api, person } = await talk(
		{ begin: call, "Stop here": { content: [says("report")] }, next: { content: [runs("toolu_2", "echo ho")] } },
		{ limits: { maxTurns: 1 } },
	);
	await person.until(() => person.state === "listening");
	const reason =
		"turn limit reached (max-turns 1): the limit applies to each message; send another one, or raise it with /limits max-turns";
	expect(person.run.agents["1"]?.state).toMatchObject({ reason });
	expect(await person.says("next")).toMatchObject({ say: "sent" });
	await person.listens(2);
	expect(person.run.agents["1"]).toMatchObject({ turns: 2, state: { reason } });
	expect(api.requests).toHaveLength(4);
	await person.asks({ say: "close" });
});

test("at max-total-turns a message is refused with the limit", async () => {
	const call = { content: [runs("toolu_1", "echo hi")] };
	const { person } = await talk(
		{ begin: call, "Stop here": { content: [says("report")] } },
		{ limits: { maxTotalTurns: 1 } },
	);
	await person.until(() => person.state === "listening");
	expect(await person.says("next")).toEqual({
		say: "refused",
		reason:
			"agent 1 has no turns left: turn limit reached (max-total-turns 1 from agent 1 down); raise the limit to continue (/limits)",
	});
	await person.asks({ say: "close" });
});

test("a stop of the root ends the run while it listens, and while it works", async () => {
	const { program, person } = await talk(hello);
	await person.until(() => person.state === "listening");
	void person.asks({ say: "stop_agent", agent: "1", signal: 15, isHurry: false, reason: "enough" });
	expect((await program.ended).code).toBe(143);
});

type Moment = { when: string; begin: FakeAnswer; isThere: (person: Person) => boolean };
const LISTENING: Moment = {
	when: "listens",
	begin: { content: [says("hello")] },
	isThere: ({ state }) => state === "listening",
};
const THINKING: Moment = {
	when: "thinks",
	begin: NEVER,
	isThere: ({ heard }) => heard.some(({ say }) => say === "delta"),
};
const RUNNING: Moment = {
	when: "runs a command",
	begin: { content: [runs("toolu_1", "echo half; exec sleep 1000")] },
	isThere: ({ run }) => run.agents["1"]?.running.length === 1,
};

const ENDS: readonly { end: string; by: (program: Program) => void }[] = [
	{ end: "kill -9 of its supervisor", by: (program) => program.kill("SIGKILL") },
	{ end: "SIGHUP", by: (program) => program.kill("SIGHUP") },
];

const CASES = ENDS.flatMap((end) => [LISTENING, THINKING, RUNNING].map((moment) => ({ ...end, ...moment })));

test.each(CASES)(
	"after $end while it $when a conversation goes on by listening, and its model is told as much as it needs",
	async ({ begin, isThere, by, when }) => {
		const { api, program, person } = await talk({ begin });
		await person.until(() => isThere(person));
		by(program);
		await program.ended;
		const again = startConversation({ api, home: program.home, resume: {} });
		const back = await Person.joins(again);
		await back.until(() => back.state === "listening");
		const asked = api.requests.length;
		await back.says("next");
		await back.until(
			() => back.state === "listening" && api.requests.length > asked && !back.run.agents["1"]?.messages,
		);
		const why = expect.stringMatching(/^You were interrupted \(/);
		const expected: Record<string, unknown> = {
			listens: [["begin"], ["hello"], ["next"]],
			thinks: [["begin", why, "next"]],
			"runs a command": [["begin"], ["tool_use"], ["tool_result", why, "next"]],
		};
		expect(textsOf(api)).toEqual(expected[when]);
		if (when === "runs a command")
			expect(lastMessages(api).at(-1)?.content[0]).toMatchObject({ content: expect.stringContaining(INTERRUPTED) });
		expect(api.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
		await back.asks({ say: "close" });
		expect((await again.ended).code).toBe(0);
	},
);

test("a conversation that was closed goes on with a message at once, as it does when it is resumed with one", async () => {
	const { api, program, person } = await talk(hello);
	await person.until(() => person.state === "listening");
	await person.asks({ say: "close" });
	await program.ended;
	const again = startConversation({ api, home: program.home, resume: { message: "next" } });
	const back = await Person.joins(again);
	await back.until(() => back.state === "listening" && back.run.agents["1"]?.turns === 2);
	expect(textsOf(api)).toEqual([["begin"], ["hello"], ["next"]]);
	await back.asks({ say: "close" });
});

test("what is said to a resumed root before it listens, or waited when it ended, is delivered", async () => {
	const { api, program, person } = await talk({ begin: NEVER });
	await person.until(() => THINKING.isThere(person));
	await person.says("next 1");
	program.kill("SIGKILL");
	await program.ended;
	const again = startConversation({ api, home: program.home, resume: {} });
	const back = await Person.joins(again);
	await back.until(() => back.state === "listening" && api.requests.length === 2);
	expect(textsOf(api).at(-1)?.at(-1)).toBe("next 1");
	await back.asks({ say: "close" });
});

test("a conversation begun without words listens first, and its first message is the first of its history", async () => {
	const { api, person } = await talk({}, { task: "" });
	await person.until(() => person.state === "listening");
	await person.says("next");
	await person.until(() => person.run.agents["1"]?.turns === 1 && person.state === "listening");
	expect(textsOf(api)).toEqual([["next"]]);
	await person.asks({ say: "close" });
});

test("with the model shell each message is a command", async () => {
	const { person, program } = await talk({}, { model: "shell", task: "echo one" });
	await person.until(() => person.state === "listening");
	await person.says("echo two");
	await person.until(() => person.state === "listening" && person.run.agents["1"]?.commands === 2);
	await person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
});

test("with the model shell a message that comes while a command runs is the next one", async () => {
	const { person } = await talk({}, { model: "shell", task: "until [ -e go ]; do sleep 0.05; done; echo one" });
	await person.until(() => person.run.agents["1"]?.running.length === 1);
	expect(await person.says("echo two")).toMatchObject({ arrives: "command_end" });
	await person.says("echo three");
	writeFileSync(join(person.run.cwd, "go"), "");
	await person.listens();
	const commands = person.events.flatMap((event) => (event.event === "command_started" ? [event.text] : []));
	expect(commands.at(-1)).toBe("echo two echo three"); // the first one may have started before anybody watched
	await person.says("echo four");
	await person.listens(2);
	expect(person.run.agents["1"]).toMatchObject({ commands: 3, turns: 5 });
	await person.asks({ say: "close" });
});

test("a script plays a conversation: its turns go on with each message, an interrupted one counts", async () => {
	const script = `agents:
  - task: "*"
    turns:
      - { say: "one two three four five six", delay: 60s }
      - say: second
      - { run: "echo {{task}}" }
      - say: "third: {{output}}"
`;
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), script);
	const program = startConversation({ home, model: `script:${join(home, "s.yaml")}` });
	const person = await Person.joins(program);
	await person.until(() => person.state === "thinking");
	await person.interrupts();
	await person.listens(1);
	await person.says("next");
	await person.listens(2);
	await person.says("and");
	await person.listens(3);
	expect(person.run.agents["1"]).toMatchObject({ turns: 4, commands: 1, state: { is: "listening" } });
	const close = person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
	await close;
});
