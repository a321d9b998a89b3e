import { expect, test } from "vitest";
import { placesInConfiguration } from "../../../src/sandbox/git-configuration.ts";

const places = (text: string) => placesInConfiguration(text, { directory: "/p/.git", top: "/p" });

test.each([
	["[core]\n\thooksPath = .githooks", ["/p/.githooks"]],
	["[include]\n\tpath = ../.gitconfig.shared", ["/p/.gitconfig.shared"]],
	['[includeIf "gitdir:x"]\n\tpath = "/p/with space"', ["/p/with space"]],
	['[filter "x"]\n\tclean = ./tools/clean.sh --fast %f\n', ["/p/tools/clean.sh"]],
	["[alias]\n\tbuild = !sh scripts/build.sh", ["/p/scripts/build.sh"]],
	["[core] fsmonitor = bin/watch", ["/p/bin/watch"]],
	['[remote "origin"]\n\turl = ../other\n\tfetch = +refs/heads/*:refs/remotes/origin/*', []],
	['[branch "main"]\n\tmerge = refs/heads/main', []],
	["[credential]\n\thelper = https://x/y", []],
	["", []],
])("%j", (text, expected) => {
	expect(places(text)).toEqual(expected);
});
