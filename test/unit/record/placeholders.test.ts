import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyDirectoriesIn } from "../../../src/project/undo/keep-tree.ts";
import { makePlaceholders, placeholdersIn, removePlaceholder } from "../../../src/record/placeholders.ts";

function project(): string {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "agentree-placeholders-")));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}
const named = (top: string, paths: readonly string[]) => paths.map((path) => path.slice(top.length + 1));

test("they stand where nothing is, are told from a person's own empty directory, and are removed", () => {
	const top = project();
	mkdirSync(join(top, ".idea"));
	writeFileSync(join(top, ".cursor"), "a file");
	const made = placeholdersIn(top);
	expect(named(top, made)).toEqual([".agentree", ".claude", ".vscode"]);
	makePlaceholders(made);
	expect(placeholdersIn(top)).toEqual(made); // also for the run after one that was killed
	for (const path of [...made, join(top, ".idea"), join(top, ".cursor")]) removePlaceholder(path);
	expect(readdirSync(top).sort()).toEqual([".cursor", ".idea"]);
});

test("one in which a person has put something is the person's, and stays, also when it is empty again", () => {
	const top = project();
	makePlaceholders(placeholdersIn(top));
	writeFileSync(join(top, ".claude/settings.json"), "{}");
	expect(named(top, placeholdersIn(top))).not.toContain(".claude");
	removePlaceholder(join(top, ".claude"));
	expect(existsSync(join(top, ".claude/settings.json"))).toBe(true);
	rmSync(join(top, ".claude/settings.json"));
	removePlaceholder(join(top, ".claude"));
	expect([existsSync(join(top, ".claude")), statSync(join(top, ".claude")).mode & 0o7000]).toEqual([true, 0]);
});

// Seen to fail: an undo listed and made them.
test("they are no part of a tree that is kept; a person's own empty directories are", () => {
	const top = project();
	mkdirSync(join(top, ".vscode"));
	makePlaceholders(placeholdersIn(top));
	const names = readdirSync(top).map((name) => `${name}/`);
	expect(emptyDirectoriesIn(top, names)).toEqual([".vscode"]);
});
