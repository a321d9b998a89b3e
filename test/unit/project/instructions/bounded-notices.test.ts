import { expect, test } from "vitest";
import { boundedNotices } from "../../../../src/project/instructions/instruction-files.ts";

test("of many notices the first are told, each cut, and the others are counted", () => {
	expect(boundedNotices(["a", "b"])).toEqual(["a", "b"]);
	const many = boundedNotices(Array.from({ length: 13 }, () => "x".repeat(4_000)));
	expect(many).toHaveLength(13);
	expect(many.at(-1)).toBe("1 more file is not used");
	expect(many[0]).toHaveLength(300);
});
