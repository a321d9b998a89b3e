/** Files that a repository's configuration names (git-config(1)): what it includes, and what git runs. Pure. */
import { resolve } from "node:path";

/** Names of variables whose value is a path, from the configuration's own directory or from the work tree. */
const INCLUDED = ["path"];
const RUN_PLACES = ["hookspath", "attributesfile"];
/** Names of variables whose value is a command. */
const COMMANDS = [
	...["fsmonitor", "sshcommand", "editor", "pager", "askpass", "gitproxy", "external", "textconv", "command", "cmd"],
	...["clean", "smudge", "process", "driver", "program", "helper", "defaultkeycommand", "templatedir"],
];
const MOST = 200;

/** `directory`: that of the configuration; `top`: of the work tree. Whether they are there is not looked at. */
export function placesInConfiguration(text: string, { directory, top }: { directory: string; top: string }): string[] {
	const places = text.split("\n").flatMap((line) => {
		const [, key = "", value = ""] = /^(?:\s*\[[^\]]*\])?\s*([\w-]+)\s*=\s*(.*)$/.exec(line) ?? [];
		const name = key.toLowerCase();
		const unquoted = value.replaceAll(/["']/g, "").trim();
		if (INCLUDED.includes(name)) return [resolve(directory, unquoted)];
		if (RUN_PLACES.includes(name)) return [resolve(top, unquoted)];
		if (!COMMANDS.includes(name) && !value.startsWith("!")) return [];
		const words = unquoted.replace(/^!/, "").split(/\s+/);
		return words.filter((word) => /[/.]/.test(word) && !word.includes("://")).map((word) => resolve(top, word));
	});
	return [...new Set(places)].slice(0, MOST);
}
