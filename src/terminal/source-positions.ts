/** Translates the places that a stack names in a bundle into places in the sources, by the source map beside the bundle. */
import { readFileSync } from "node:fs";
import type { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

const PLACE = /((?:file:\/\/)?\/[^():\n]*\.m?js):(\d+):(\d+)/g;

/** `/…/dist/agent.js:3:1200` becomes `src/agent/loop.ts:123:4`. A place that no map knows stays as it is. */
export function withSourcePositions(stack: string): string {
	const maps = new Map<string, SourceMap | undefined>();
	return stack.replace(PLACE, (place: string, file: string, line: string, column: string) => {
		if (!maps.has(file)) maps.set(file, readMap(file));
		const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
		if (entry === undefined || !("originalSource" in entry)) return place;
		const source = entry.originalSource.replace(/^(?:.*\.\.\/)+/, "");
		return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
	});
}

function readMap(file: string): SourceMap | undefined {
	try {
		const path = file.startsWith("file:") ? fileURLToPath(file) : file;
		const { SourceMap } = process.getBuiltinModule("node:module"); // loaded now: every start of an agent would pay for it
		return new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
	} catch {
		return undefined; // a file of Node or of another package
	}
}
