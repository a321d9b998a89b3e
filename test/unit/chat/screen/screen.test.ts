import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Reflow } from "../../../../src/chat/screen/drawn.ts";
import type { Region } from "../../../../src/chat/screen/region.ts";
import { Screen } from "../../../../src/chat/screen/screen.ts";
import { ScrollingTerminal } from "../../../fixtures/scrolling-terminal.ts";
import { handClock } from "../../hand-clock.ts";

interface Terms {
	readonly columns?: number;
	readonly rows?: number;
	readonly reflow?: Reflow;
}

const line = (text: string) => ({ parts: [{ text, style: "plain" as const }] });

/** A screen in an emulated terminal, whose region is what `region` was set to. */
function open({ columns = 20, rows = 8, reflow = "wraps" }: Terms = {}) {
	const output = Object.assign(new PassThrough(), { columns, rows });
	const clock = handClock(0);
	const terminal = new ScrollingTerminal({ columns, rows, cuts: reflow === "cut" });
	const writes: string[] = [];
	let region: Region = { rows: [line("> ")], cursor: { row: 0, column: 2 } };
	const screen = Screen.open({
		...{ input: new PassThrough(), output, clock, isPlain: true, reflow },
		...{ region: () => region, onInput: () => {}, onGone: () => {} },
	});
	onTestFinished(() => screen.close());
	const drawn = async () => {
		await clock.pass(40);
		for (let text = output.read(); text !== null; text = output.read()) {
			writes.push(String(text));
			terminal.write(String(text));
		}
	};
	const show = (...texts: string[]) => {
		const last = texts.length - 1;
		region = { rows: texts.map(line), cursor: { row: last, column: (texts[last] ?? "").length } };
		screen.request();
	};
	const resize = (toColumns: number, toRows: number) => {
		terminal.resize(toColumns, toRows);
		Object.assign(output, { columns: toColumns, rows: toRows });
		output.emit("resize");
	};
	return { clock, drawn, output, resize, screen, show, terminal, writes };
}

test("what is appended stays above the region, which is drawn below it again", async () => {
	const { drawn, screen, show, terminal } = open();
	screen.append(["one", "two"].map(line));
	await drawn();
	expect(terminal.lines).toEqual(["one", "two", ">"]);
	show("working", "> hello");
	screen.append([line("three")]);
	await drawn();
	expect([terminal.lines, terminal.cursor]).toEqual([["one", "two", "three", "working", "> hello"], { x: 7, y: 4 }]);
});

test("of the region only the rows that have changed are written", async () => {
	const { drawn, show, terminal, writes } = open();
	show("a", "b", "c");
	await drawn();
	terminal.touched.clear();
	show("a", "B", "c");
	await drawn();
	expect([[...terminal.touched], terminal.lines]).toEqual([[1], ["a", "B", "c"]]);
	const count = writes.length;
	show("a", "B", "c");
	await drawn();
	expect(writes).toHaveLength(count);
});
