import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addProjectGrant, readProjectGrants } from "../../../src/record/project-answers.ts";

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
