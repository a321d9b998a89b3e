import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { ConversationView } from "../../../../src/faces/chat/conversation-view.ts";
import { ScrollingTerminal } from "../../../fixtures/scrolling-terminal.ts";
import { handClock } from "../../hand-clock.ts";
import { Chat } from "./chat-of.ts";

const line = (text: string) => [{ text, style: "plain" as const }];

/** A conversation in an emulated terminal. */
function open() {
	const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
	const clock = handClock(0);
	const terminal = new ScrollingTerminal({ columns: 40, rows: 10 });
	const { state } = new Chat().with({ model: "model-x", shownDirectory: "~/src" });
	const typed = { text: "hi", draw: () => ({ rows: [line("> hi")], cursor: { row: 0, column: 4 } }) };
	const view = new ConversationView({
		...{ input: new PassThrough(), output, clock, env: { TERM: "xterm" }, onInput: () => {}, onGone: () => {} },
		live: () => ({ state, line: typed, hint: "/help", branch: "main" }),
	});
	onTestFinished(() => view.screen.close());
	const drawn = async () => {
		await clock.pass(100);
		for (let text = output.read(); text !== null; text = output.read()) terminal.write(String(text));
	};
	return { drawn, terminal, view };
}

test("below what was said are what goes on, the prompt and the status", async () => {
	const { drawn, terminal, view } = open();
	view.update({ is: "delta", turn: 1, delta: { kind: "text", text: "One.\nTw" } });
	view.say({ text: "said" });
	await drawn();
	expect(terminal.lines).toEqual(["One.", "", "said", "", "Tw", "", "> hi", "/help", "model-x  ~/src  (main)"]);
	expect(terminal.cursor).toEqual({ x: 4, y: 6 });
});

test("a long text is shown whole, and what is told meanwhile comes below it", async () => {
	const { drawn, terminal, view } = open();
	const lines = Array.from({ length: 4_000 }, (_, n) => `${n} ${"x".repeat(500)}`);
	async function* pieces() {
		const text = lines.join("\n");
		for (let at = 0; at < text.length; at += 65_536) {
			yield text.slice(at, at + 65_536);
			view.update({ is: "delta", turn: 1, delta: { kind: "text", text: `told ${at}\n` } });
		}
	}
	async function* next() {
		yield "next";
	}
	let isOver = false;
	Promise.all([view.showAll(pieces()), view.showAll(next())]).then(() => {
		isOver = true;
	});
	while (!isOver) await drawn();
	for (let frame = 0; frame < 20; frame++) await drawn();
	const shown = terminal.lines.slice(0, -4);
	expect(shown.slice(0, lines.length)).toEqual(lines);
	expect(shown.slice(lines.length).filter((text) => text.startsWith("told"))).toHaveLength(31);
	expect(shown.at(-1)).toBe("next");
});

test("a terminal that cannot move its cursor gets lines without styles, each once, and a prompt when nothing else comes", async () => {
	const input = new PassThrough();
	const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
	const clock = handClock(0);
	const read: string[] = [];
	const { state } = new Chat().with({ model: "model-x", shownDirectory: "~/src" });
	const typed = { text: "", draw: () => ({ rows: [line("> ")], cursor: { row: 0, column: 2 } }) };
	const view = new ConversationView({
		...{ input, output, clock, env: { TERM: "dumb" }, onGone: () => {} },
		onInput: (bytes) => void read.push(String(bytes)),
		live: () => ({ state, line: typed, hint: "", branch: "main" }),
	});
	onTestFinished(() => view.screen.close());
	view.screen.title("a title");
	await clock.pass(400);
	view.update({ is: "delta", turn: 1, delta: { kind: "text", text: "# One\n\n**two** \u001b[2Jthree\nbegun" } });
	view.screen.request();
	await clock.pass(400);
	view.screen.append([line("four")]);
	await clock.pass(200);
	input.write("typed\n");
	await clock.pass(400);
	view.screen.close();
	expect(String(output.read())).toBe("> \nOne\n\ntwo three\n> \nfour\n> \n");
	expect(read).toEqual(["typed", "\r"]);
});
