import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRole, rolesOf } from "../../../../src/project/instructions/find-role.ts";
import { filesOf, type Guide, noticesOf, toldOf } from "../../../../src/project/instructions/guide.ts";
import { rolesText } from "../../../../src/project/instructions/instructions-text.ts";
import { place } from "./place.ts";

const text = (name: string, description = "d") => `---\nname: ${name}\ndescription: ${description}\n---\nYou.`;

const described = (guide: Guide) =>
	Object.fromEntries(rolesOf(toldOf(guide, true)).map(({ name, description }) => [name, description]));

test("the nearest role of a name counts: the directory's, the root's, the user's, the built-in one", () => {
	const { find } = place({
		...{
			"~/.config/agentree/agents/a.md": text("a", "user"),
			"~/.config/agentree/agents/code.md": text("code", "user"),
		},
		"~/.config/agentree/agents/own.md": text("own", "user"),
		...{ ".claude/agents/x.md": text("a", "root claude"), ".agentree/agents/y.md": text("a", "root") },
		...{ "sub/.claude/agents/a.md": text("a", "sub"), "other/.agentree/agents/a.md": text("a", "other") },
	});
	expect(described(find("sub"))).toMatchObject({ a: "sub", own: "user", code: "user", plan: "answers with a plan" });
	expect(described(find())).toMatchObject({ a: "root" });
	const untrusted = rolesOf(toldOf(find("sub"), false)).map(({ name }) => name);
	expect(untrusted).toEqual(["a", "code", "own", "explore", "plan"]);
});

test("a file that defines no role is named, but for a README, and none leads out of the project", () => {
	const { root, find } = place({
		...{ ".claude/agents/README.md": "read me", ".claude/agents/b.md": "no front matter", ".claude/agents/c.txt": "" },
		".claude/agents/d.md": text("../up"),
	});
	symlinkSync("/etc", join(root, ".agentree"));
	mkdirSync(join(root, "sub/.agentree"), { recursive: true });
	symlinkSync("/etc", join(root, "sub/.agentree/agents"));
	expect(noticesOf(find("sub").ofProject)).toEqual([
		`${root}/.claude/agents/b.md is not a role: it has no front matter with a name or a description`,
		`${root}/.claude/agents/d.md is not a role: "../up" is not a valid name for a role`,
		`${root}/sub/.agentree/agents is not used: it is a link that leads to /etc`,
	]);
	expect(find("sub").ofProject.roles).toEqual([]);
});

test("of a directory with very many files not all are looked at", () => {
	const many = Array.from({ length: 300 }, (_, n) => [`.claude/agents/r${n}.md`, text(`r${n}`)]);
	const { root, find } = place(Object.fromEntries(many));
	const { ofProject } = find();
	expect(ofProject.roles).toHaveLength(200);
	expect(ofProject.notices).toEqual([`${root}/.claude/agents has too many files; some are ignored`]);
	const told = rolesText(toldOf(find(), true)) ?? "";
	expect(told.split("\n")).toHaveLength(42); // the head, 40 roles, the names of others
	expect(told.length).toBeLessThan(2_000);
});

test("of a project with very many files 500 are read, and instructions have the room first", () => {
	const many = ["a", "a/b", "a/b/c", "a/b/c/d"].flatMap((directory) =>
		Array.from({ length: 190 }, (_, n) => [
			`${directory}/.claude/agents/r${n}-${directory.length}.md`,
			text(`${directory.length}-${n}`),
		]),
	);
	const { find } = place({ ...Object.fromEntries(many), "a/b/c/d/AGENTS.md": "Rule." });
	const { ofProject } = find("a/b/c/d");
	expect(ofProject.instructions.files).toHaveLength(1);
	expect(ofProject.roles).toHaveLength(499);
	expect(noticesOf(ofProject)).toContain("not every role is loaded: too many files");
});

test("the prompt names the roles of files with their descriptions, cut", () => {
	const { find } = place({
		".claude/agents/a.md": text("a", "x".repeat(900)),
		".claude/agents/b.md": text("b", "Tests."),
	});
	expect(rolesText(toldOf(find(), true))).toBe(
		`More roles for child agents (agent --role NAME "task"):\n- a: ${"x".repeat(199)}…\n- b: Tests.`,
	);
	expect(rolesText(toldOf(find(), false))).toBeUndefined();
});

test("a person is asked about the files of roles, too", () => {
	const { root, find } = place({ ".claude/agents/a.md": text("a", "Tests."), "AGENTS.md": "x" });
	expect(filesOf(find().ofProject).map(({ path, what }) => [path, what])).toEqual([
		[`${root}/AGENTS.md`, "instructions"],
		[`${root}/.claude/agents/a.md`, "role a: Tests."],
	]);
});

test("an unknown role is told with those that are known, and the nearest name", () => {
	const roles = rolesOf(place({}).find());
	expect(findRole("plan", roles).name).toBe("plan");
	expect(() => findRole("exlore", roles)).toThrow(
		'unknown role "exlore"; known: explore, plan, code; did you mean explore?',
	);
	expect(() => findRole("../x", roles)).toThrow('unknown role "../x"');
});
