import { expect, test } from "vitest";
import { LineInput } from "../../../../src/faces/chat/line-input.ts";
import type { Input } from "../../../../src/faces/chat/update.ts";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { Chat, WORKING } from "./chat-of.ts";

/** What the keys ask of a conversation whose agent works, and what stands in its line then. */
function pressed(...keys: readonly Key[]): [Input[], string] {
	const inputs: Input[] = [];
	const { state } = new Chat(...WORKING);
	const line = new LineInput({
		...{ history: [], columns: () => 40, onTerminal: () => {} },
		onInput: (input) => void inputs.push(input),
	});
	for (const key of keys) line.press(key, state);
	return [inputs, line.text];
}

test("Ctrl-C interrupts while the agent works, whatever stands in the line", () => {
	const cancel: Key = { is: "key", name: "c", ctrl: true };
	expect(pressed(cancel)).toEqual([[{ is: "cancel", isEmpty: true }], ""]);
	expect(pressed({ is: "text", text: "a" }, cancel)).toEqual([[{ is: "cancel", isEmpty: false }], "a"]);
});

test("text that reads like the name of a key is text, and Ctrl-Shift-C, which copies, interrupts nothing", () => {
	expect(pressed({ is: "text", text: "c-c" })).toEqual([[], "c-c"]);
	expect(pressed({ is: "key", name: "c", ctrl: true, shift: true })).toEqual([[], ""]);
});

test("while something is asked Ctrl-L draws the screen again, and is no answer", () => {
	const told: unknown[] = [];
	const { state } = new Chat(...WORKING).input({ is: "leave" });
	const line = new LineInput({
		...{ history: [], columns: () => 40, onInput: (input) => void told.push(input) },
		onTerminal: (wish) => void told.push(wish),
	});
	line.press({ is: "key", name: "l", ctrl: true }, state);
	expect(told).toEqual(["redraw"]);
});

test("a letter that comes before a question is on the screen is told as such", () => {
	const told: Input[] = [];
	const { state } = new Chat(...WORKING).input({ is: "leave" });
	const line = new LineInput({
		...{ history: [], columns: () => 40, onTerminal: () => {} },
		onInput: (input) => void told.push(input),
	});
	const key: Key = { is: "text", text: "s" };
	line.press(key, state);
	line.draw(state, 40);
	line.press(key, state);
	expect(told).toEqual([
		{ is: "key", key, isUnseen: true },
		{ is: "key", key },
	]);
});
