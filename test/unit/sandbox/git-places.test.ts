import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fillRepository, keptInRepository, unfillRepository } from "../../../src/sandbox/git-places.ts";

function repository(...files: string[]): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-git-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	for (const file of files) {
		mkdirSync(join(directory, file, ".."), { recursive: true });
		writeFileSync(join(directory, file), "");
	}
	return directory;
}

test("submodules, also those with a slash in their names, and linked work trees are kept, too", () => {
	const directory = repository(
		"HEAD",
		"modules/a/HEAD",
		"modules/b/c/HEAD",
		"modules/a/modules/d/HEAD",
		"worktrees/w/HEAD",
	);
	const kept = keptInRepository([directory]).map((path) => path.slice(directory.length + 1));
	expect(kept).toContain("hooks");
	for (const path of ["modules/a/config", "modules/b/c/hooks", "modules/a/modules/d/config", "worktrees/w/commondir"])
		expect(kept).toContain(path);
});

test("what git would take from an agent's file is made as nothing, and taken away again", () => {
	const directory = repository("HEAD", "config");
	fillRepository(directory);
	expect([existsSync(join(directory, "hooks")), readFileSync(join(directory, "commondir"), "utf8")]).toEqual([
		true,
		".\n",
	]);
	expect(readFileSync(join(directory, "config.worktree"), "utf8")).toBe("");
	unfillRepository(directory);
	expect(["commondir", "config.worktree"].filter((name) => existsSync(join(directory, name)))).toEqual([]);
	writeFileSync(join(directory, "config.worktree"), "[core]\n");
	writeFileSync(join(directory, "commondir"), "../..\n");
	fillRepository(directory);
	unfillRepository(directory);
	expect(readFileSync(join(directory, "commondir"), "utf8")).toBe("../..\n");
	expect(readFileSync(join(directory, "config.worktree"), "utf8")).toBe("[core]\n");
	const none = repository("config");
	fillRepository(none);
	expect(existsSync(join(none, "commondir"))).toBe(false);
});
