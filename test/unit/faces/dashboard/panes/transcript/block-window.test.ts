import { expect, test } from "vitest";
import type { Block } from "../../../../../../src/faces/dashboard/panes/transcript/block.ts";
import {
	type BlockWindow,
	hasMoreBelow,
	scrollBy,
	windowLines,
} from "../../../../../../src/faces/dashboard/panes/transcript/block-window.ts";
import { END, type Scroll, TOP } from "../../../../../../src/faces/dashboard/scene/ui-state.ts";

function block(key: string, text: string, rest: Partial<Block> = {}): Block {
	return { key, text, tone: "plain", mark: "", bar: "", ...rest };
}

function windowOf(blocks: readonly Block[], size: { width?: number; height?: number } = {}): BlockWindow {
	return { blocks, width: size.width ?? 40, height: size.height ?? 5 };
}

function rows(window: BlockWindow, scroll: Scroll): string[] {
	return windowLines(window, scroll).map((line) => line.map(({ text }) => text).join(""));
}

const TWENTY = Array.from({ length: 10 }, (_, at) => block(`k${at}`, `a${at}\nb${at}`, { hasGap: at % 2 === 0 }));

test("scrolling goes row by row through all blocks, and sticks to the end", () => {
	const window = windowOf(TWENTY);
	const all = rows({ ...window, height: 1_000 }, TOP);
	expect(all.length).toBe(25);
	let scroll: Scroll = TOP;
	for (let top = 0; top < all.length - window.height; top++) {
		expect(rows(window, scroll)).toEqual(all.slice(top, top + window.height));
		expect(hasMoreBelow(window, scroll)).toBe(true);
		expect(rows(window, scrollBy(window, scroll, -top))).toEqual(all.slice(0, window.height));
		scroll = scrollBy(window, scroll, 1);
	}
	expect(scroll).toEqual(END);
	expect(rows(window, END)).toEqual(all.slice(-window.height));
	expect(hasMoreBelow(window, END)).toBe(false);
	expect(rows(window, scrollBy(window, END, -3))).toEqual(all.slice(-window.height - 3, -3));
});

test("what is short needs no scrolling: every place is the end", () => {
	const window = windowOf([block("a", "go")]);
	for (const lines of [-10, -1, 0, 1, 10]) expect(scrollBy(window, END, lines)).toEqual(END);
	expect(scrollBy(window, TOP, 0)).toEqual(END);
});

test("a place is the same text whatever comes before it and behind it, and at every width", () => {
	const text = "one two three four five six seven eight nine ten";
	const blocks = [block("a", "before"), block("b", text), block("c", "after\n".repeat(9))];
	const place: Scroll = { is: "at", key: "b", offset: text.indexOf("seven") };
	for (const width of [8, 10, 15, 20, 30, 80]) {
		expect(rows(windowOf(blocks, { width }), place)[0]).toContain("seven");
		const grown = [block("x", "new\n".repeat(50)), ...blocks, block("y", "new")];
		expect(rows(windowOf(grown, { width }), place)[0]).toContain("seven");
	}
	expect(rows(windowOf(blocks, { width: 10, height: 90 }), place)[0]).toContain("seven"); // and the rest is empty
});

test("a place in a block that is gone is near its kin, else at the end", () => {
	const blocks = [block("a@1", "kin"), ...TWENTY];
	expect(rows(windowOf(blocks), { is: "at", key: "a@2", offset: 0 })[0]).toBe("kin");
	const gone: Scroll = { is: "at", key: "gone", offset: 0 };
	expect(rows(windowOf(blocks), gone)).toEqual(rows(windowOf(blocks), END));
});

test("the place of an empty row behind a block stays behind what is added to the block", () => {
	const window = windowOf([block("a", "x", { hasGap: true }), ...TWENTY]);
	const place = scrollBy(window, TOP, 1);
	const grown = windowOf([block("a", "x\ny\nz", { hasGap: true }), ...TWENTY]);
	expect([rows(window, place)[0], rows(grown, place)[0], rows(grown, place)[1]]).toEqual(["", "", "a0"]);
});

test("of 100,000 blocks only those around the pane are broken into rows", () => {
	let reads = 0;
	const counted = (at: number): Block => ({
		get text() {
			reads++;
			return "some words";
		},
		...{ key: `n${at}`, tone: "plain", mark: "", bar: "" },
	});
	const window = windowOf(
		Array.from({ length: 100_000 }, (_, at) => counted(at)),
		{ height: 20 },
	);
	const up = scrollBy(window, scrollBy(window, END, -20), -20);
	expect(windowLines(window, up).length).toBe(20);
	expect(reads).toBeLessThan(1_000);
});
