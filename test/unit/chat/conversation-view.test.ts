import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { ConversationView } from "../../../src/chat/conversation-view.ts";
import { EMPTY_RUN } from "../../../src/core/run-state.ts";
import { ScrollingTerminal } from "../../fixtures/scrolling-terminal.ts";
import { handClock } from "../hand-clock.ts";

const line = (text: string) => ({ parts: [{ text, style: "plain" as const }] });

test("below what was said are what goes on, the prompt and the status", async () => {
	const output = Object.assign(new PassThrough(), { columns: 40, rows: 10 });
	const clock = handClock(0);
	const terminal = new ScrollingTerminal({ columns: 40, rows: 10 });
	const view = ConversationView.open({
		...{ input: new PassThrough(), output, clock, env: { TERM: "dumb" }, onInput: () => {}, onGone: () => {} },
		view: () => ({
			...{ run: { ...EMPTY_RUN, model: "model-x" }, now: 0, status: { directory: "~/src", branch: "main" } },
			editor: () => ({ rows: [line("> hi")], cursor: { row: 0, column: 4 } }),
			offers: () => [line("/help")],
		}),
	});
	onTestFinished(() => view.screen.close());
	view.tell({ is: "delta", turn: 1, delta: { kind: "text", text: "One.\nTw" } });
	view.say("said");
	await clock.pass(100);
	for (let text = output.read(); text !== null; text = output.read()) terminal.write(String(text));
	expect(terminal.lines).toEqual(["One.", "", "said", "", "Tw", "", "> hi", "/help", "model-x  ~/src  (main)"]);
	expect(terminal.cursor).toEqual({ x: 4, y: 6 });
});
