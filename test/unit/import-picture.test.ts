import { join } from "node:path";
import { expect, test } from "vitest";
import { circlesIn, readFileEdges, roomEdges, rowsOf, withoutShortcuts } from "./import-graph.ts";
import { drawImports } from "./import-picture.ts";

const PICTURE = join(import.meta.dirname, "../../docs/imports.svg");

test("a circle is found, and a graph without one has none", () => {
	const line = [
		{ from: "a", to: "b" },
		{ from: "b", to: "c" },
	];
	expect(circlesIn(line)).toEqual([]);
	expect(circlesIn([...line, { from: "c", to: "b" }])).toEqual([["b", "c", "b"]]);
});

test("the files that a folder's rooms stand on are apart from those that stand on its rooms", () => {
	const files = ["x/main.ts", "x/clock.ts", "x/time.ts", "x/room/a.ts"];
	const edges = [
		{ from: "x/main.ts", to: "x/room/a.ts" },
		{ from: "x/room/a.ts", to: "x/clock.ts" },
		{ from: "x/clock.ts", to: "x/time.ts" },
	];
	expect(roomEdges({ files, edges })).toEqual([
		{ from: "x", to: "x/room" },
		{ from: "x/room", to: "x base" },
	]);
});

test("a room stands above all that it imports from, and a way that a longer one says is left out", () => {
	const edges = [
		{ from: "a", to: "b" },
		{ from: "b", to: "c" },
		{ from: "a", to: "c" },
	];
	expect(rowsOf(edges)).toEqual([["c"], ["b"], ["a"]]);
	expect(withoutShortcuts(edges)).toEqual(edges.slice(0, 2));
});

test("no file imports itself by a circle, types included", () => {
	const { files, edges } = readFileEdges();
	expect(files.length).toBeGreaterThan(200);
	expect(circlesIn(edges)).toEqual([]);
});

test("no room imports itself by a circle, so every arrow of the picture points down", () => {
	expect(circlesIn(roomEdges(readFileEdges()))).toEqual([]);
});

test("docs/imports.svg shows the imports as they are", async () => {
	await expect(drawImports(roomEdges(readFileEdges()))).toMatchFileSnapshot(PICTURE);
});
