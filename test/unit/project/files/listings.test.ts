import { expect, test } from "vitest";
import { joinNames, parseDifferences, parseNames, removalsOf } from "../../../../src/project/files/tree-paths.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const A = "a".repeat(40);
const B = "b".repeat(40);
const NONE = "0".repeat(40);

test("names keep each byte, there and back", () => {
	const names = ["a b", "line\nfeed", "b\xffd"];
	expect(parseNames(joinNames(names))).toEqual(names);
	expect(Buffer.from(joinNames(names)).includes(0xff)).toBe(true);
	expect(Buffer.from(removalsOf(["x\ny"])).toString()).toBe(`0 ${NONE}\tx\ny\0`);
});

test("differences have both sides, and their lines where they are text", () => {
	const raw = [
		`:100644 100755 ${A} ${B} M\0a\tb\0`,
		`:000000 120000 ${NONE} ${B} A\0link\0`,
		`:100644 000000 ${A} ${NONE} D\0:100644\0`,
	];
	const numstat = ["3\t1\ta\tb\0", "-\t-\tlink\0", "0\t12\t:100644\0"];
	expect(parseDifferences(bytes([...raw, ...numstat].join("")))).toEqual([
		{
			path: "a\tb",
			before: { kind: "plain", content: A },
			after: { kind: "executable", content: B },
			lines: { added: 3, removed: 1 },
		},
		{ path: "link", after: { kind: "link", content: B } },
		{ path: ":100644", before: { kind: "plain", content: A }, lines: { added: 0, removed: 12 } },
	]);
});
