import { expect, test } from "vitest";
import {
	type CommandOutput,
	grownPages,
	trimOutputs,
	withRead,
} from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";

function outputOf(last: number, ...pages: number[]): CommandOutput {
	return {
		bytes: (last + 1) * 100,
		last,
		pages: pages.map((page) => ({ page, text: `p${page}`, isWhole: page < last })),
	};
}

const pagesOf = ({ pages }: CommandOutput) => pages.map(({ page }) => page);

test("pages that are read join those that are known, in their order, safe for a terminal", () => {
	const read = { ...outputOf(9, 7), pages: [{ page: 7, text: "\u001b[2Jred\r\n\n", isWhole: true }] };
	const joined = withRead(outputOf(9, 3, 9), read);
	expect(pagesOf(joined)).toEqual([3, 7, 9]);
	expect(joined.pages[1]?.text).toBe("red\n");
	expect(withRead(joined, { ...outputOf(12, 12), bytes: 5_000 })).toMatchObject({ bytes: 5_000, last: 12 });
});

test("a file that has become shorter is another one", () => {
	expect(pagesOf(withRead(outputOf(9, 3, 9), outputOf(2, 2)))).toEqual([2]);
});

test("of a file that has grown the pages that were not whole are read, and the last one", () => {
	expect(grownPages(outputOf(9, 3, 8, 9), 9)).toEqual([9]);
	expect(grownPages(outputOf(9, 3, 8, 9), 12)).toEqual([9, 12]);
});

test("of too many pages those stay that are near, and the last of each output", () => {
	const outputs = new Map([
		[1, outputOf(40, 0, 1, 2, 40)],
		[2, outputOf(90, 10, 11, 12, 13, 90)],
	]);
	const kept = trimOutputs(outputs, { command: 2, page: 12 }, 5);
	expect([...kept].map(([command, output]) => [command, pagesOf(output)])).toEqual([
		[1, [40]],
		[2, [10, 11, 12, 13]],
	]);
	expect(trimOutputs(outputs, { command: 2, page: 12 }, 9)).toBe(outputs);
});
