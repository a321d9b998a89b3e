/** A project on disk for the tests of what it tells agents; it ends with the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { findGuide, type Guide } from "../../../../src/project/instructions/guide.ts";
import { KeptFiles } from "../../../../src/project/instructions/kept-files.ts";
import { makeRepository } from "../../../make-repository.ts";

export interface PlaceOfTest {
	readonly root: string;
	readonly home: string;
	readonly find: (directory?: string) => Guide;
}

/** A repository `repo` with these files, and a home; names that begin with `~/` lie in the home. */
export function place(files: Record<string, string>): PlaceOfTest {
	const at = realpathSync(mkdtempSync(join(tmpdir(), "agentree-guide-")));
	onTestFinished(() => rmSync(at, { recursive: true, force: true }));
	const [root, home] = [join(at, "repo"), join(at, "home")];
	makeRepository(join(root, ".git"));
	for (const [name, text] of Object.entries(files)) {
		const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(root, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	const uid = process.getuid?.() ?? 0;
	const person = { homes: [home], owners: [uid] };
	const places = { ...person, home, own: join(home, ".config/agentree"), uid, trusted: [] };
	return { root, home, find: (directory = ".") => findGuide(join(root, directory), places, new KeptFiles()) };
}
