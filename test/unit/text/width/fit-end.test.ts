import { expect, test } from "vitest";
import { fitEnd } from "../../../../src/text/width/width.ts";

test.each([
	["/a/b", 4, "/a/b"],
	["/work/a/long/way", 8, "…ong/way"],
	["/日本語", 5, "…本語"],
	["/work/…/way", 6, "…/way"],
])("of %j %i columns show %j", (path, columns, shown) => expect(fitEnd(path, columns)).toBe(shown));
