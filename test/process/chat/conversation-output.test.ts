/** What a conversation shows of a real run: its supervisor, its agents and their commands, told over the socket and by files. */
import { mkdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../../src/core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../src/core/run/run-state.ts";
import { ConversationFeed } from "../../../src/faces/chat/conversation-feed.ts";
import { Output } from "../../../src/faces/chat/output/output.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import type { Line } from "../../../src/tui/text/line.ts";
import { connectAsWatcher } from "../../../src/wire/watcher-connection.ts";
import type { FakeApi } from "../../fixtures/fake-api.ts";
import type { FakeTurn } from "../../fixtures/fake-api-stream.ts";
import { Person, startConversation, startTalkService } from "../conversation/conversation-run.ts";
import { type Program, temporaryHome } from "../program.ts";

const says = (text: string): FakeTurn => ({ content: [{ type: "text", text }] });
const runs = (text: string, ...commands: string[]): FakeTurn => ({
	content: [
		{ type: "text", text },
		...commands.map((command, n) => ({
			type: "tool_use" as const,
			id: `toolu_${text.length}${n}`,
			name: "bash",
			input: { command },
		})),
	],
});

/** Not in the home directory, of which no state is kept, which would be told. */
function startInProject(api: FakeApi): Program {
	const home = temporaryHome();
	mkdirSync(`${home}/project`);
	return startConversation({ api, home, task: "begin", settings: { cwd: `${home}/project` } });
}

/** A face that shows what it is told as plain lines. */
async function watch(program: Program) {
	const lines: Line[] = [];
	const output = new Output(() => 60);
	let run: RunState = EMPTY_RUN;
	const directory = await program.runDirectory();
	const feed = new ConversationFeed({
		...{ directory, now: Date.now },
		onUpdate: (told) => void lines.push(...output.update(told, run)),
		onDamage: (what) => void lines.push(...output.say({ text: what })),
	});
	const connection = await connectAsWatcher(readRunFile(directory).socket);
	onTestFinished(() => {
		connection.close();
		feed.close();
	});
	connection.onMessage((message) => {
		if (message.say === "snapshot") {
			run = message.state;
			feed.begin(run);
		}
		if (message.say === "event") run = reduce(run, message.event);
		feed.receive(message);
	});
	connection.send({ say: "watch" });
	connection.send({ say: "focus", agent: ROOT });
	return () =>
		lines.map((line) =>
			line
				.map(({ text }) => text)
				.join("")
				.trimEnd(),
		);
}

test("what is said, run and answered stands in its order, each once", async () => {
	const api = await startTalkService({
		begin: runs("I look at it.\n\nThen I run:", "seq 1 40; exit 3"),
		"exit status 3": says("All **forty**."),
		"a child": runs("One of them.", "agent 'first task'"),
		"first task": says("# Done\n\nfirst answer"),
		"first answer": says("It has answered."),
	});
	const program = startInProject(api);
	const person = await Person.joins(program);
	const texts = await watch(program);
	await person.until(() => texts().at(-1) === "All forty.");
	await person.says("now a child");
	await person.until(() => texts().at(-1) === "It has answered.");
	expect(texts().map((text) => text.replace(/ \d+m?s,/, " TIME,"))).toEqual([
		...["> begin", "", "I look at it.", "", "Then I run:", ""],
		...["$ seq 1 40; exit 3", "  1", "  2", "  … 34 more lines (/expand 1)", "  37", "  38", "  39", "  40"],
		...["  exit status 3", "", "All forty.", "", "> now a child", "", "One of them.", ""],
		...["$ agent 'first task'", "✓ 1.1 first task  TIME, 1 turn, $0.0001: Done: first answer", ""],
		...["$ agent 'first task'", "  # Done", "", "  first answer", "", "It has answered."],
	]);
});

test("what was interrupted says so, and goes on with the next message", async () => {
	const held: (() => void)[] = [];
	const api = await startTalkService({
		begin: {
			...says("First line.\nSecond line, never whole"),
			beforeEvent: (_, n) => (n < 5 ? undefined : new Promise((go) => held.push(go))),
		},
		"go on": says("Going on."),
	});
	const program = startInProject(api);
	const person = await Person.joins(program);
	const texts = await watch(program);
	await person.until(() => texts().includes("First line."));
	await person.interrupts();
	await person.until(() => person.state === "listening");
	for (const go of held) go();
	await person.says("go on");
	await person.until(() => texts().at(-1) === "Going on.");
	expect(texts().filter((text) => text !== "")).toEqual([
		...["> begin", "First line.", "Se", "· interrupted", "> go on", "Going on."],
	]);
});
