import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { placeOf } from "../../../../src/project/undo/keep-tree.ts";
import type { Step } from "../../../../src/project/undo/plan-put-back.ts";
import { putBack, stampAt } from "../../../../src/project/undo/put-back.ts";

function treeWith(files: Record<string, string>) {
	const top = mkdtempSync(join(tmpdir(), "agentree-put-"));
	onTestFinished(() => rmSync(top, { recursive: true }));
	for (const [name, text] of Object.entries(files)) writeFileSync(join(top, name), text);
	const stamps = new Map(Object.keys(files).map((path) => [path, stampAt(placeOf(top, path))?.text ?? ""]));
	const run = (steps: Step[], contents: Record<string, string> = {}) =>
		putBack(
			{ steps, left: [], directories: new Set() },
			{
				...{ top, stamps, temporary: ".temporary" },
				content: async (id) => (contents[id] === undefined ? undefined : Buffer.from(contents[id])),
			},
		);
	return { top, run };
}

const write = (path: string, replaces: boolean): Step => ({
	...{ do: "write", path, replaces, mode: 0o640 },
	entry: { kind: "plain", content: "kept" },
});

test("what has changed since it was looked at is left, and all else is done", async () => {
	const { top, run } = treeWith({ a: "1", b: "1", c: "1", d: "1" });
	for (const name of ["a", "b", "c"]) writeFileSync(join(top, name), "somebody's newer work");
	chmodSync(join(top, "c"), 0o600);
	const steps: Step[] = [{ do: "remove", path: "a" }, write("b", true), { do: "set_mode", path: "c", mode: 0o644 }];
	const done = await run([...steps, write("d", true)], { kept: "kept" });
	const because = { is: "changed_meanwhile" };
	expect(done).toEqual({
		written: ["d"],
		removed: [],
		left: ["a", "b", "c"].map((path) => ({ path, because })),
	});
	expect(readFileSync(join(top, "b"), "utf8")).toBe("somebody's newer work");
	expect([readFileSync(join(top, "d"), "utf8"), statSync(join(top, "d")).mode & 0o777]).toEqual(["kept", 0o640]);
});

test("something that has come into the place of a file stays, and a content that is gone leaves the file", async () => {
	const { top, run } = treeWith({ a: "1", b: "1" });
	const done = await run(
		[write("a", false), { ...write("b", true), entry: { kind: "plain", content: "gone" } } as Step],
		{
			kept: "kept",
		},
	);
	expect(done.left).toEqual([
		{ path: "a", because: { is: "something_else_there" } },
		{ path: "b", because: { is: "not_kept" } },
	]);
	expect([readFileSync(join(top, "a"), "utf8"), readFileSync(join(top, "b"), "utf8")]).toEqual(["1", "1"]);
});

test("what the system refuses is left with its reason, and no temporary file stays", async () => {
	const { top, run } = treeWith({ a: "1" });
	mkdirSync(join(top, "full/inner"), { recursive: true });
	const done = await run([write("a/b", false), write("full", false)], { kept: "kept" });
	expect(done.left).toEqual([
		{ path: "a/b", because: { is: "system", code: "ENOTDIR" } },
		{ path: "full", because: { is: "system", code: "ENOTEMPTY" } },
	]);
	expect(existsSync(join(top, ".temporary"))).toBe(false);
});
