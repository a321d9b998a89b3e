/** Commands that a command of git runs in its turn, as `git rebase --exec` does. Pure. */
import { afterOptions } from "./wrappers.ts";

/** A text is one for a shell. `words`: `git` and what it is to do. */
export function commandsOfGit(words: readonly string[]): readonly (string | readonly string[])[] {
	const [name, second, third] = words;
	const rest = words.slice(1 + afterOptions(words.slice(1), []));
	if (name !== "git") return [];
	switch (second) {
		case "submodule":
			return rest[0] === "foreach" ? shellText(rest.slice(afterOptions(rest, []))) : [];
		case "bisect":
			return third === "run" && words.length > 3 ? [words.slice(3)] : [];
		case "rebase":
			return behindOptions(words, /^(?:-[A-Za-z]*?x|--exec(?:=|$))(.*)$/s);
		case "filter-branch":
			return behindOptions(words, /^--[a-z]+-filter()$/);
		case "difftool":
			return behindOptions(words, /^(?:-[A-Za-z]*?x|--extcmd(?:=|$))(.*)$/s);
		default:
			return [];
	}
}

function shellText(words: readonly string[]): readonly string[] {
	return words.length === 0 ? [] : [words.join(" ")];
}

/** The values of the option, which stand in the same word or in the next one. */
function behindOptions(words: readonly string[], option: RegExp): readonly string[] {
	return words.flatMap((word, at) => {
		const [, attached] = option.exec(word) ?? [];
		return attached === undefined ? [] : [attached === "" ? (words[at + 1] ?? "") : attached];
	});
}
