/** Files that a repository's configuration names (git-config(1)): what it includes, and what git runs. Pure. */
import { resolve } from "node:path";
import { wordsOf } from "../places.ts";

/** `key`: in lower case, as git compares it. Absent `value`: the key stands alone, which means true. */
export interface Setting {
	readonly section: string;
	readonly key: string;
	readonly value?: string;
}

const SECTION = /\s*\[\s*([\w.-]+)\s*(?:"(?:\\.|[^"\\\n])*"\s*)?\]/y;
const KEY = /\s*([A-Za-z][\w-]*)[ \t]*/y;
const VALUE = /=((?:\\(?:\r?\n|.)|"(?:\\(?:\r?\n|.)|[^"\\\n])*"|[^"\\\n#;])*)/y;
const LINE = /[^\n]*\n?/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

export function settingsIn(text: string): Setting[] {
	const settings: Setting[] = [];
	let at = text.startsWith("\u{feff}") ? 1 : 0;
	let section = "";
	const next = (pattern: RegExp): string | undefined => {
		pattern.lastIndex = at;
		const found = pattern.exec(text);
		if (found === null) return undefined;
		at = pattern.lastIndex;
		return found[1] ?? "";
	};
	while (at < text.length) {
		const name = next(SECTION);
		if (name !== undefined) {
			section = name.toLowerCase().replace(/\..*$/s, "");
			continue;
		}
		const key = next(KEY)?.toLowerCase();
		const value = key === undefined ? undefined : next(VALUE);
		if (key !== undefined) settings.push({ section, key, ...(value !== undefined && { value: plain(value) }) });
		next(LINE); // a comment, or what git would not read
	}
	return settings;
}

/** Without quotes, escapes and continuations. */
function plain(value: string): string {
	const read = (_: string, escaped: string | undefined) =>
		escaped === undefined ? "" : escaped.endsWith("\n") ? "" : (ESCAPES[escaped] ?? escaped);
	return value.trim().replace(/\\(\r?\n|.)|"/g, read);
}

/** `included`: further configuration; `place`: a directory or a file; `program`: a file, if anything. */
interface NamedPlace {
	readonly path: string;
	readonly is: "included" | "place" | "program";
}

/** Names of variables whose value is a path, from the top of the work tree. */
const PLACES = ["hookspath", "attributesfile", "templatedir"];
/** Names of variables whose value is a command. */
const COMMANDS = wordsOf(`
	fsmonitor sshcommand editor pager askpass gitproxy external textconv command cmd path clean smudge process driver
	program helper defaultkeycommand alternaterefscommand difffilter uploadpack receivepack httpd tunnel smtpserver
	sendmailcmd tocmd cccmd headercmd
`);

/** `directory`: that of the configuration; `top`: of the work tree. Whether they are there is not looked at. */
export function placesIn(
	settings: readonly Setting[],
	{ directory, top, homes }: { readonly directory: string; readonly top: string; readonly homes: readonly string[] },
): NamedPlace[] {
	const from = (base: string, path: string) => {
		const [, inHome] = /^~\/(.*)$/s.exec(path) ?? [];
		return inHome === undefined ? [resolve(base, path)] : homes.map((home) => resolve(home, inHome));
	};
	return settings.flatMap(({ section, key, value = "" }): NamedPlace[] => {
		if (value === "") return [];
		if (key === "path" && /^include(if)?$/.test(section))
			return from(directory, value).map((path) => ({ path, is: "included" }));
		if (PLACES.includes(key)) return from(top, value).map((path) => ({ path, is: "place" }));
		const isCommand = COMMANDS.includes(key) || section === "pager" || value.startsWith("!");
		const programs = isCommand ? programsIn(value.replace(/^!/, "")) : [];
		return programs.flatMap((word) => from(top, word)).map((path) => ({ path, is: "program" }));
	});
}

/** After these a file needs no slash in its name. */
const READERS =
	/^(.*\/)?(sh|bash|dash|zsh|ksh|source|python[\d.]*|node|deno|bun|tsx|ts-node|uv|perl|ruby|php|lua|Rscript)$/;
/** Git runs commands there (git-config(1), alias). */
const TOP =
	/"?(?:\$\(git rev-parse --show-toplevel\)|`git rev-parse --show-toplevel`|\$\{?(?:PWD|GIT_WORK_TREE)\b\}?)"?/g;

/** Of a line for the shell: words that name files by a path, and scripts. */
function programsIn(line: string): string[] {
	const found = line.replace(TOP, ".").match(/"[^"]*"|'[^']*'|[^\s"';|&()<>]+/g) ?? [];
	const words = found.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));
	let isRead = false; // until a word is named as a file is
	return words.flatMap((word, at) => {
		if (/^-[a-z]*c$/.test(words[at - 1] ?? "")) return programsIn(word);
		const isScript = isRead && !word.startsWith("-");
		isRead = READERS.test(word) || (isRead && !(isScript && /[./]/.test(word)));
		const path = word.replace(/^\$\{?HOME\}?(?=\/)/, "~");
		return (path.includes("/") || isScript) && !path.includes("://") ? [path] : [];
	});
}

/** Whether a change of a repository's configuration has git run nothing and send nothing elsewhere (git-config(1)). Pure. */

/** What `git remote add`, `git push -u`, `git branch` and `git config user.name` write. */
const HARMLESS = /^(remote\..+\.(url|fetch)|branch\..+\.(remote|merge|rebase|vscode-merge-base)|user\.(name|email))$/;

/** Of what git itself writes: any other way to write it is no harmless one. Of a remote that was there before nothing may change. */
export function isHarmlessChange(before: string, after: string): boolean {
	const [old, now] = [entriesOf(before), entriesOf(after)];
	if (old === undefined || now === undefined) return false;
	const changed = [...without(now, old), ...without(old, now)];
	const remotes = new Set(old.flatMap(({ key }) => (key.startsWith("remote.") ? [sectionOf(key)] : [])));
	return changed.every(({ key, value }) => HARMLESS.test(key) && !remotes.has(sectionOf(key)) && !/^-|::/.test(value));
}

interface Entry {
	/** The section and the name in lower case, as git reads them. */
	readonly key: string;
	readonly value: string;
}

const sectionOf = (key: string) => key.slice(0, key.lastIndexOf("."));

function without(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
	const textOf = ({ key, value }: Entry) => `${key}=${value}`;
	const there = new Set(others.map(textOf));
	return entries.filter((entry) => !there.has(textOf(entry)));
}

function entriesOf(text: string): Entry[] | undefined {
	const entries: Entry[] = [];
	let section: string | undefined;
	for (const line of text.split("\n")) {
		if (/^\s*([#;].*)?$/.test(line)) continue;
		const [, name, sub] = /^\[([\w-]+)(?: "([^"\\]*)")?\]$/.exec(line) ?? [];
		const [, key, value] = /^\s+([\w-]+) = (.*[^\\]|)$/.exec(line) ?? [];
		if (name !== undefined) section = [name.toLowerCase(), ...(sub === undefined ? [] : [sub])].join(".");
		else if (key === undefined || section === undefined) return undefined;
		else entries.push({ key: `${section}.${key.toLowerCase()}`, value: value ?? "" });
	}
	return entries;
}
