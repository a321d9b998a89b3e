import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLinesFrom } from "../../../../src/record/files/follow-lines.ts";
import { temporaryHome } from "../fabricate.ts";

test("each line is given once, a last one without its line feed when it is whole", () => {
	// Seen to fail for the events of a run whose file was copied, or edited, without the last line feed.
	const path = join(temporaryHome(), "events.jsonl");
	const given: string[] = [];
	const read = (position: number) => readLinesFrom(path, position, (lines) => given.push(...lines));
	writeFileSync(path, '{"a":1}\n{"a":');
	const first = read(0);
	appendFileSync(path, "2}");
	const second = read(first);
	appendFileSync(path, '\n{"a":3}\n');
	const third = read(second);
	expect(given).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
	expect([first, second, third]).toEqual([8, 15, 24]);
});
