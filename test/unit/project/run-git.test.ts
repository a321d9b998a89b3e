import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { gitTiesIn, withoutGitTies } from "../../../src/project/run-git.ts";

test("what ties git to a repository is named; a person's own settings are no ties", () => {
	const env = {
		GIT_INDEX_FILE: "i",
		GIT_DIR: ".git",
		GIT_AUTHOR_NAME: "Ann",
		GIT_PREFIX: "",
		GIT_SSH: "ssh",
		PATH: "/",
	};
	expect(gitTiesIn(env)).toEqual(["GIT_DIR", "GIT_INDEX_FILE"]);
	expect(gitTiesIn({ GIT_PREFIX: "", GIT_AUTHOR_DATE: "now" })).toEqual([]);
	expect(withoutGitTies(env)).toEqual({ GIT_AUTHOR_NAME: "Ann", GIT_SSH: "ssh", PATH: "/" });
});

test("all that git itself calls local to a repository is taken out, but for settings and grafts of a person", () => {
	const local = execFileSync("git", ["rev-parse", "--local-env-vars"], { encoding: "utf8" }).trim().split("\n");
	const left = Object.keys(withoutGitTies(Object.fromEntries(local.map((name) => [name, "x"]))));
	expect(left.sort()).toEqual(["GIT_CONFIG_COUNT", "GIT_NO_REPLACE_OBJECTS"]);
});
