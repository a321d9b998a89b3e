/** What lies at the places that a sandbox is made of. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { linkedSkills, lookAtPlace } from "../../../src/sandbox/look-at-places.ts";

// Seen to fail: a skill that a link brought from a hidden place was named in the prompt, and could not be read.
test("what links among the user's skills lead to is found, and of other places nothing", () => {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "agentree-skills-")));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	for (const path of ["own/skills/plain", "own/agents", ".claude/skills/c", ".ssh"])
		mkdirSync(join(home, path), { recursive: true });
	writeFileSync(join(home, ".claude/skills/c/SKILL.md"), "");
	writeFileSync(join(home, ".claude/role"), "");
	writeFileSync(join(home, ".ssh/id"), "");
	symlinkSync(join(home, ".claude/skills/c"), join(home, "own/skills/c"));
	symlinkSync(join(home, ".ssh"), join(home, "own/skills/keys"));
	symlinkSync(join(home, ".ssh/id"), join(home, "own/skills/id"));
	symlinkSync(join(home, "nothing"), join(home, "own/skills/gone"));
	symlinkSync("../../.claude/role", join(home, "own/agents/role.md"));
	expect(linkedSkills(join(home, "own"))).toEqual([join(home, ".claude/skills/c"), join(home, ".claude/role")]);
	expect(linkedSkills(undefined)).toEqual([]);
});

test("a place is told with the links that lead to it, each without others in its path", () => {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "agentree-links-")));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	mkdirSync(join(home, "real/hooks"), { recursive: true });
	mkdirSync(join(home, "p"));
	symlinkSync("../real", join(home, "p/.git"));
	symlinkSync("p/.git/hooks", join(home, "first"));
	const hooks = join(home, "real/hooks");
	expect(lookAtPlace(join(home, "first"))).toEqual({
		...{ path: hooks, is: "directory", links: [join(home, "first"), join(home, "p/.git")] },
	});
	expect(lookAtPlace(hooks)).toEqual({ path: hooks, is: "directory" });
});
