/** Where tests lie: those of src/ in its mirror, those with real processes in folders named after what they hold. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Tests of no single file of src/. */
const OF_SEVERAL: Readonly<Record<string, string>> = {
	"architecture.test.ts": "all of src/",
	"import-picture.test.ts": "all of src/",
	"test-layout.test.ts": "all of test/",
	"cli/text/spending-text.test.ts": "three writers, which say the same of calls and money",
};

const filesIn = (folder: string, ending: string) =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(ending))
		.sort();

/** `decide/decide-join.test.ts` is of `decide/decide.ts`, the part about joining; `docs/` is the documentation's. */
function isMirror(test: string, sources: readonly string[]): boolean {
	const name = basename(test, ".test.ts");
	const beside = sources.filter((file) => dirname(file) === dirname(test)).map((file) => basename(file, ".ts"));
	return dirname(test) === "docs" || beside.some((source) => name === source || name.startsWith(`${source}-`));
}

// Seen to fail with `core/resumed-state.test.ts`, of which there was no file in src/.
test("each unit test lies where the file lies that it tests, and has its name", () => {
	const sources = filesIn("src", ".ts");
	const tests = filesIn("test/unit", ".test.ts");
	expect(tests.length).toBeGreaterThan(100);
	expect(tests.filter((file) => !isMirror(file, sources))).toEqual(Object.keys(OF_SEVERAL).sort());
});

test("each test with real processes lies in a folder", () => {
	const tests = filesIn("test/process", ".test.ts");
	expect(tests.length).toBeGreaterThan(50);
	expect(tests.filter((file) => dirname(file) === ".")).toEqual([]);
});
