import {
	appendFileSync,
	chmodSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addProjectGrant, readProjectGrants, readTrust, writeTrust } from "../../../src/record/project-answers.ts";

function temporaryFile(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-grants-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	return join(directory, "agentree/grants.jsonl");
}

const grant = (rule: string, project = "/p") => ({ project, rule, at: 5, run: "r" });

test("what is added is read again, in order, from a file that is the user's alone", () => {
	const path = temporaryFile();
	expect(readProjectGrants(path)).toEqual({ grants: [], damaged: 0 });
	addProjectGrant(path, grant("Bash(make *)"));
	addProjectGrant(path, grant("Bash(git push *)", "/q"));
	expect(readProjectGrants(path)).toEqual({
		grants: [grant("Bash(make *)"), grant("Bash(git push *)", "/q")],
		damaged: 0,
	});
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("a line that is none is passed over and counted, and one that was torn stands in nobody's way", () => {
	const path = temporaryFile();
	addProjectGrant(path, grant("a"));
	appendFileSync(path, '{"project":"/p","rule":"Read(x)","at":5,"run":"r"}\nnonsense\n{"project":"/p","ru');
	expect(readProjectGrants(path)).toMatchObject({ grants: [grant("a")], damaged: 3 });
	addProjectGrant(path, grant("b"));
	expect(readProjectGrants(path)).toMatchObject({ grants: [grant("a"), grant("b")], damaged: 2 });
});

test("a person takes one back by removing its line", () => {
	const path = temporaryFile();
	for (const rule of ["a", "b"]) addProjectGrant(path, grant(rule));
	const lines = readFileSync(path, "utf8").split("\n");
	writeFileSync(path, lines.slice(1).join("\n"));
	expect(readProjectGrants(path).grants).toEqual([grant("b")]);
});

const FILE = {
	...{ project: "/work/p", answeredAt: 7 },
	...{ trusted: [{ path: "/work/p/AGENTS.md", digest: "d" }], refused: [] },
};

function home(): string {
	const made = mkdtempSync(join(tmpdir(), "agentree-trust-"));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

test("what was answered is read back, for that project alone, and only the user may read it", () => {
	const at = home();
	expect(readTrust(at, "/work/p")).toBeUndefined();
	writeTrust(at, FILE);
	expect(readTrust(at, "/work/p")).toEqual({ file: FILE, changedAt: expect.any(Number) });
	expect(readTrust(at, "/work/q")).toBeUndefined();
	const [name = ""] = readdirSync(join(at, "trust"));
	expect(statSync(join(at, "trust")).mode & 0o777).toBe(0o700);
	expect(statSync(join(at, "trust", name)).mode & 0o777).toBe(0o600);
	expect(JSON.parse(readFileSync(join(at, "trust", name), "utf8"))).toHaveProperty("answered_at", 7);
});

test("what cannot be read, or is another project's, is no answer", () => {
	const at = home();
	writeTrust(at, FILE);
	const [name = ""] = readdirSync(join(at, "trust"));
	const path = join(at, "trust", name);
	const good = readFileSync(path, "utf8");
	for (const bad of ["", "{", "[]", "null", good.replace("/work/p", "/work/q"), good.replace('"d"', "5")]) {
		writeFileSync(path, bad);
		expect(readTrust(at, "/work/p")).toBeUndefined();
	}
	writeFileSync(join(at, "real"), good);
	rmSync(path);
	symlinkSync(join(at, "real"), path);
	expect(readTrust(at, "/work/p")).toBeUndefined();
	chmodSync(join(at, "trust"), 0o700);
});
