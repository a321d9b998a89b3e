import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { TypeAhead } from "../../../../src/tui/terminal/raw-input.ts";

function typeAhead({ mayHold = true } = {}) {
	const interrupt = vi.fn();
	const input = new PassThrough();
	const ahead = new TypeAhead({ mayHold: () => mayHold, interrupt });
	const type = (text: string) => {
		input.write(text);
		return new Promise((done) => setImmediate(done));
	};
	return { ahead, input, interrupt, type, taken: () => ahead.take().map(String) };
}

test("what is typed is kept until it is taken, a line that the terminal has read as one that Enter ends", async () => {
	const { ahead, input, type, taken } = typeAhead();
	ahead.hold(input);
	await type("hello\n");
	await type("more");
	expect([taken(), taken()]).toEqual([["hello\r", "more"], []]);
	await type("later");
	expect(taken()).toEqual([]);
});

test("Ctrl-C interrupts, and gives the terminal back", async () => {
	const { ahead, input, interrupt, type, taken } = typeAhead();
	ahead.hold(input);
	await type("hel\u0003");
	await type("lo");
	expect([interrupt.mock.calls.length, taken()]).toEqual([1, []]);
});

test("a terminal that is lent for a question is held again after it", async () => {
	const { ahead, input, type, taken } = typeAhead();
	ahead.hold(input);
	const takeAgain = ahead.lend(input);
	await type("y");
	input.read();
	takeAgain();
	await type("hello");
	expect(taken()).toEqual(["hello"]);
});
