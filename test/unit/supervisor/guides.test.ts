import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Guides } from "../../../src/supervisor/guides.ts";

function place(): string {
	const at = realpathSync(mkdtempSync(join(tmpdir(), "agentree-guides-")));
	onTestFinished(() => rmSync(at, { recursive: true, force: true }));
	for (const name of ["one", "two"]) {
		mkdirSync(join(at, name, ".git"), { recursive: true });
		mkdirSync(join(at, name, "sub"));
		writeFileSync(join(at, name, "AGENTS.md"), `root of ${name}`);
		writeFileSync(join(at, name, "sub/AGENTS.md"), `sub of ${name}`);
	}
	return at;
}

const guidesFor = (trusted: string[]) => new Guides({ instructions: { uid: 0, trusted, kept: [] } });

test("agents of a trusted project are told what its files say for their directory, those of another nothing", () => {
	const at = place();
	const guides = guidesFor([join(at, "one")]);
	expect(guides.of(join(at, "one"))?.instructionFiles).toEqual([{ path: join(at, "one/AGENTS.md"), bytes: 11 }]);
	expect(guides.of(join(at, "one/sub"))?.instructions).toMatch(/root of one[\s\S]*sub of one/);
	expect(guides.of(join(at, "two/sub"))).toBeUndefined();
	expect(new Guides({}).of(join(at, "one"))).toBeUndefined();
});

test("a directory is looked at once: its agents are all told the same", () => {
	const at = place();
	const guides = guidesFor([join(at, "one")]);
	const before = guides.of(join(at, "one"));
	writeFileSync(join(at, "one/AGENTS.md"), "changed");
	expect(guides.of(join(at, "one"))).toBe(before);
	expect(guides.of(join(at, "one/sub"))?.instructions).toContain("root of one"); // the file was read before
});

test("a directory that is not there, or no path at all, tells nothing", () => {
	const guides = guidesFor(["/"]);
	for (const directory of ["/no/such", "", "relative"]) expect(guides.of(directory)).toBeUndefined();
});
