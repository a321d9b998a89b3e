/** Whether a command failed because of its sandbox, as far as what it printed tells. Pure but for looking whose a place is. */

import { readlinkSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { ifThere } from "../../core/if-there.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, deepestOver, isHidden } from "../../core/machine/sandbox.ts";
import { commandParts, withInner } from "../../core/rules/command-parts.ts";
import { type HiddenConfiguration, hiddenConfiguration } from "../../sandbox/hidden-configuration.ts";
import type { Printed } from "./start-shell.ts";

const MAX_LINES = 200; // of the last ones
const MAX_LINE = 2_000; // characters
const MAY_LEAVE = 'to ask a person to run it outside: agent ask --run "command" --why "reason"';
const BLOCKED = "blocked by the sandbox: ";
const KEEPS = "the sandbox does not let";
const NO_LEAVE = "nobody can allow it in this run";
/** errno(3) in the words of the C library, and by name, as Node has it: read-only, and a mount point or a mount in the way. */
const NOT_WRITTEN = /read-only file system|EROFS|device or resource busy|EBUSY|invalid cross-device link|EXDEV/i;
const READ_ONLY = /read-only file system|EROFS/i;
/** Node's mkdir with all directories above, where it may not write. */
const NOT_MADE = /ENOENT: no such file or directory, mkdir/;
const NOT_THERE = /no such file or directory|ENOENT|permission denied|EACCES|not found/i;
const NOT_PERMITTED = /permission denied|EACCES|operation not permitted|EPERM/i;
const NO_NETWORK =
	/network is unreachable|ENETUNREACH|could not resolve host|(?:temporary failure|failure) (?:in name resolution|resolving)|EAI_AGAIN|name or service not known|cannot assign requested address|getaddrinfo ENOTFOUND|unable to resolve host|failed to lookup address|\bnxdomain\b|no route to host|EHOSTUNREACH/i;
/** In the words of Java, and of what is built with it, and of Go, whose names and connections both go through a dialer. */
const NO_NETWORK_OF_LANGUAGES =
	/UnknownHostException|UnresolvedAddressException|NoRouteToHostException|unknown host\b|unable to tunnel through proxy|network unreachable|dial (?:tcp|udp)\b.*(?:no such host|server misbehaving|i\/o timeout|unreachable|refused)|lookup \S+(?: on \S+)?: (?:no such host|server misbehaving)|proxyconnect tcp/i;

/**
 * What programs say that cannot do without something that a sandbox does not have, at the beginning of a line: a search prints
 * where it has found such words. `hides`: below the home directory, one of them.
 */
const MISSED: readonly { readonly said: RegExp; readonly words: string; readonly hides?: readonly string[] }[] = [
	{
		said: /^(?:ERROR: |error: |Error: )?(?:cannot connect to the docker daemon|permission denied while trying to connect to the docker|(?:unable|cannot) (?:to )?connect to podman)/i,
		words: "container daemons (Docker, Podman)",
	},
	{
		said: /^failed to connect to (?:\w+ scope )?bus|^system has not been booted with systemd/i,
		words: "systemd and D-Bus",
	},
	{
		said: /^sudo: (?:the "no new privileges" flag|.*have the setuid bit set|effective uid is not 0)/i,
		words: "other users (sudo, su)",
	},
	{
		said: /^(?:\S+: permission denied \(publickey|host key verification failed|could not open a connection to your authentication agent)/i,
		...{ words: "ssh keys", hides: [".ssh"] },
	},
	{
		said: /^gpg: .*(?:no secret key|can't connect to the)|^error: gpg failed to sign/i,
		...{ words: "gpg keys", hides: [".gnupg"] },
	},
	{
		said: /^to get started with github cli|^gh: .*gh auth login/i,
		words: "gh's login",
		hides: [".config/gh"],
	},
	{
		said: /^fatal: could not read (?:username|password) for 'http/i,
		...{ words: "git passwords", hides: [".git-credentials", ".config/git/credentials", ".netrc"] },
	},
	{ said: /^npm (?:error|ERR!) code (?:ENEEDAUTH|E401)/, words: "npm's login", hides: [".npmrc"] },
	{ said: /^(?:\w+: )?unable to locate credentials/i, words: "cloud keys", hides: [".aws"] },
];

export interface Told extends Printed {
	readonly command: string;
	readonly cwd: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** A person can be asked. */
	readonly mayLeave: boolean;
	/** What the agent has been told of what is harmless. */
	readonly known?: Set<string>;
	/** For root: what is at a path is another user's. Absent: it is looked at. */
	readonly isOthers?: (path: string) => boolean;
	/** Where the link at a path leads to, as it stands in that; undefined: none is there. Absent: it is looked at. */
	readonly linkAt?: (path: string) => string | undefined;
	/** Places that are seen, whatever is hidden around them: the run's own programs and output lie in its record. */
	readonly seen?: readonly string[];
}

/** A line for the model; undefined when nothing tells of the sandbox. */
export function explainRefusal(told: Told, confinement: Confinement): string | undefined {
	const lines = told.text
		.split("\n")
		.slice(-MAX_LINES)
		.map((line) => line.slice(0, MAX_LINE));
	const commands = commandsOf(told);
	const isHarmless = (line: string) => gitRemedy(line, commands)?.isHarmless === true;
	const said = firstOf(lines, (line) =>
		isHarmless(line) ? undefined : (ofGit(line, commands) ?? ofLine(line, told, confinement)),
	);
	const harmless = lines.find(isHarmless);
	if (said === undefined && harmless !== undefined) return harmlessNote(gitRemedy(harmless, commands)?.words, told);
	const found = said ?? namedHidden(told, confinement);
	const isNotFound = lines.some((line) => NO_PACKAGE.test(line));
	const ran = { commands: told.hasFailed || isNotFound ? commands : [], lines, env: told.env, home: told.env.HOME };
	const hidden = found?.isCause ? [] : hiddenConfiguration(ran, confinement);
	const others = hidden.filter(({ path }) => found?.words.includes(`${path} `) !== true);
	const notes = [
		...(found === undefined ? [] : [found.words]),
		...(others.length === 0 ? [] : [shows(others, isNotFound)]),
	];
	if (notes.length === 0) return undefined;
	const isKept = found?.words.startsWith(KEEPS) === true;
	return `${isKept ? "" : BLOCKED}${[...notes, told.mayLeave ? MAY_LEAVE : NO_LEAVE].join("; ")}`;
}

/** Nobody has to be asked, and of a file it is said once. */
function harmlessNote(words: string | undefined, { known }: Told): string | undefined {
	if (words === undefined || known?.has(words)) return undefined;
	known?.add(words);
	return words;
}

interface Found {
	readonly words: string;
	/** Nothing else has to be named. */
	readonly isCause: boolean;
}

function firstOf(lines: readonly string[], read: (line: string) => Found | undefined): Found | undefined {
	for (const line of lines) {
		const found = read(line);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Its simple commands, also by the plain names of their programs. */
function commandsOf({ command }: Told): string[] {
	const parts = commandParts(command).parts.flatMap(withInner);
	return parts.flatMap(({ text, plainTexts }) => [...plainTexts, text]);
}

function ofGit(line: string, commands: readonly string[]): Found | undefined {
	const remedy = gitRemedy(line, commands);
	return remedy && { words: remedy.words, isCause: true };
}

/** In the words of npm, yarn, pnpm, pip, Maven, Gradle, NuGet and Composer. */
const NO_PACKAGE =
	/\bE404\b|^npm (?:error|ERR!) 404\b|\bETARGET\b|ERR_PNPM_(?:FETCH_404|NO_MATCHING)|is not in (?:this|the npm) registry|couldn't find (?:package|any versions)|no matching (?:distribution|package|version)|could not find (?:a version|artifact|\S+:\S+:)|\bNU110[12]\b|could not find a matching version/i;
const OF_A_STRANGER =
	"it may name the registry that has the package: a stranger may own that name in a public registry, so do not install it from elsewhere";

function shows(hidden: readonly HiddenConfiguration[], isNotFound: boolean): string {
	const each = hidden.map(({ path, program }) => `${path}${program ? `, which ${program} reads,` : ""} is hidden`);
	const flags = hidden.map(({ written }) => `--allow-read ${written}`).join(" ");
	const warning = isNotFound && hidden.some(({ isRegistry }) => isRegistry) ? `; ${OF_A_STRANGER}` : "";
	return `${each.join("; ")} (a person can allow it with ${flags})${warning}`;
}

function ofLine(line: string, told: Told, confinement: Confinement): Found | undefined {
	const { mounts, network } = confinement;
	if (network !== "host" && (NO_NETWORK.test(line) || NO_NETWORK_OF_LANGUAGES.test(line)))
		return { words: `the network (--net ${network})`, isCause: network === "none" };
	const missed = MISSED.find(({ said, hides }) => said.test(line) && (hides?.some(isHiddenIn(told, mounts)) ?? true));
	if (missed !== undefined) return { words: missed.words, isCause: missed.hides === undefined };
	const program = hiddenProgram(line, told, mounts);
	if (program !== undefined) return { words: hiddenWords(program), isCause: true };
	const isNotMade = NOT_MADE.test(line);
	const isNotWritten = isNotMade || NOT_WRITTEN.test(line);
	if (!isNotWritten && !NOT_THERE.test(line) && !NOT_PERMITTED.test(line)) return undefined;
	for (const path of pathsIn(line, { cwd: told.cwd, home: told.env.HOME })) {
		const access = accessTo(path, mounts);
		if (isUnseen(path, mounts, told.seen)) return { words: hiddenWords(path), isCause: false };
		if (NOT_PERMITTED.test(line) && (told.isOthers ?? isOthersPlace)(path))
			return {
				words: `${path} belongs to another user, and root has no rights over it in a sandbox`,
				isCause: true,
			};
		if (!isNotWritten || path === told.cwd) continue;
		if (access === "read" && (isNotMade || READ_ONLY.test(line) || !isTemporary(path)))
			return { words: `${path} is read-only`, isCause: true };
		if (mounts.some((mount) => mount.path === path))
			return { words: `${KEEPS} ${path} be moved or removed`, isCause: true };
	}
	return undefined;
}

/** What is not there yet is judged by its directory. */
function isOthersPlace(path: string): boolean {
	try {
		const found = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
		return process.getuid?.() === 0 && found.uid !== 0;
	} catch {
		return false; // nobody can tell
	}
}

function linkOf(path: string): string | undefined {
	return ifThere(() => readlinkSync(path));
}

const hiddenWords = (path: string) => `${path} is hidden from commands (a person can allow it with --allow-read)`;

/** Of what is hidden, and not seen in another way. */
function isUnseen(path: string, mounts: Confinement["mounts"], seen: readonly string[] = []): boolean {
	const over = deepestOver(path, mounts);
	if (over === undefined || !isHidden(over.as)) return false;
	return !seen.some((place) => place !== over.path && isAtOrBelow(place, over.path) && isAtOrBelow(path, place));
}

/** What is hidden looks empty, and a command that reads it does not fail. A pattern may go on to what is seen. */
function namedHidden({ command, env: { HOME = "/" }, seen = [] }: Told, { mounts }: Confinement): Found | undefined {
	const text = command.replace(/(?:~|\$HOME|\$\{HOME\})(?=\/)/g, HOME);
	const path = [...text.matchAll(/(\/[\w@+./-]+)([*?[{$]?)/g)].flatMap(([, named = "", pattern = ""]) => {
		const each = resolve(named);
		const leads = pattern !== "" && seen.some((place) => isAtOrBelow(place, each));
		return !leads && isUnseen(each, mounts, seen) ? [each] : [];
	})[0];
	return path === undefined ? undefined : { words: hiddenWords(path), isCause: false };
}

/** In the words of shells, env(1), Go and Node. */
const NO_PROGRAM =
	/(?:^|: )([\w.+-]+): (?:command )?not found$|env: [‘']([\w.+-]+)[’']: No such file|exec: "([\w.+-]+)": executable file not found|spawn ([\w.+-]+) ENOENT/;

/** Where a program is that PATH names, or a link in a directory of PATH. */
function hiddenProgram(
	line: string,
	{ env, linkAt = linkOf, seen }: Told,
	mounts: Confinement["mounts"],
): string | undefined {
	const name = NO_PROGRAM.exec(line)
		?.slice(1)
		.find((each) => each !== undefined);
	if (name === undefined) return undefined;
	const directories = (env.PATH ?? "").split(":").filter((directory) => isAbsolute(directory));
	const places = directories.map((directory) => {
		const link = linkAt(`${directory}/${name}`);
		return link === undefined ? directory : resolve(directory, link);
	});
	return places.find((place) => isUnseen(place, mounts, seen));
}

const isHiddenIn =
	({ env: { HOME } }: Told, mounts: Confinement["mounts"]) =>
	(name: string) =>
		HOME !== undefined && isHidden(accessTo(`${HOME}/${name}`, mounts));
const isTemporary = (path: string) => /^\/(var\/)?tmp\//.test(path);

/** The paths that a line names with which a program says that it may not have something. Pure. */

/** A name alone, which bash puts before the words of the C library. */
const BARE = /([^\s:/'"`‘’]+): (?:read-only file system|permission denied|operation not permitted)(?!:)/i;
const NO_NAME = /^(?:error|fatal|warning|err!|E[A-Z]+|\W+)$/i;
const QUOTED = /'([^']+)'|‘([^’]+)’|"([^"]+)"|`([^`']+)['`]/g;

/** What looks like a path: in quotes, a word with a slash in it, or a name alone beside what is said of it. */
function pathsIn(line: string, { cwd, home }: { cwd: string; home: string | undefined }): string[] {
	const quoted = [...line.matchAll(QUOTED)].flatMap(groupsOf);
	const words = line.replace(QUOTED, " ").split(/:\s|:$|\s|,/);
	const bare = groupsOf(BARE.exec(line) ?? []).filter((name) => !NO_NAME.test(name));
	const named = [...quoted, ...words.filter((word) => /^[\w.~@+-]*\/|^\.\w/.test(word)), ...bare];
	return named.flatMap((name) => {
		const whole = home !== undefined && name.startsWith("~/") ? `${home}${name.slice(1)}` : name;
		return isAbsolute(whole) || !whole.includes("://") ? [resolve(cwd, whole)] : [];
	});
}

function groupsOf(found: readonly (string | undefined)[]): string[] {
	return found.slice(1).flatMap((each) => each ?? []);
}

/**
 * What git does in another way where its configuration cannot be written: in a sandbox that is kept, since git would run what it names.
 * docs/sandbox.md has a row for each. Pure.
 */

interface Remedy {
	/** The command, by the plain name of its program. */
	readonly of: RegExp;
	readonly words: string;
	/** All is done that the command is for. */
	readonly isHarmless?: true;
}

interface GitRemedy {
	readonly words: string;
	readonly isHarmless: boolean;
}

const UPSTREAM =
	"everything works except setting the upstream branch: name remote and branch with git push and pull, as in git push origin HEAD";
const REMEDIES: readonly Remedy[] = [
	{
		of: /^git remote (?:add|set-url|set-branches)\b/,
		words:
			"git fetch URL BRANCH and git push URL BRANCH need no remote; git -c remote.NAME.url=URL -c remote.NAME.fetch=+refs/heads/*:refs/remotes/NAME/* fetch NAME makes its branches",
	},
	{ of: /^git branch\b.* (?:-u|--set-upstream-to)\b/, words: UPSTREAM },
	{ of: /^git (?:push|fetch|pull)\b.* (?:-\w*u|--set-upstream)\b/, words: UPSTREAM, isHarmless: true },
	{ of: /^git branch\b.* (?:-t|--track)\b|^git (?:switch|checkout)\b/, words: UPSTREAM, isHarmless: true },
	{
		of: /^git branch\b/,
		words: "the branch itself is changed; its configuration stays",
		isHarmless: true,
	},
	{
		of: /^git submodule (?:init|update|add|sync|set-url)\b|^git clone\b.*--recurse/,
		words:
			"git -c submodule.active=. -c submodule.NAME.url=URL submodule update fetches one, with the URL that .gitmodules has",
	},
	{
		of: /^git sparse-checkout\b/,
		words:
			"write patterns to .git/info/sparse-checkout, then git -c core.sparseCheckout=true read-tree -mu HEAD leaves out the rest",
	},
	{
		of: /^git lfs (?:install|track|update)\b|^git-lfs\b/,
		words:
			'git -c filter.lfs.clean="git-lfs clean -- %f" -c filter.lfs.smudge="git-lfs smudge -- %f" -c filter.lfs.process="git-lfs filter-process" lfs pull fetches files without it',
	},
	{ of: /^git /, words: "git -c NAME=VALUE COMMAND sets it for one command" },
];

/** In the words of git, and of git-lfs for hooks. */
const GIT_NOT_WRITTEN =
	/could not (?:write|lock) config file (.+?): (?:device or resource busy|read-only file system)|open (\S*\/hooks\/\S+): read-only file system/i;

const NO_IDENTITY =
	/^(?:author|committer) identity unknown$|^\*\*\* please tell me who you are|^fatal: (?:unable to auto-detect email|empty ident name|no (?:email|name) was given)/i;
/** Nobody has to be asked for it. */
const IDENTITY: GitRemedy = {
	words:
		'git has no user name and email here: git -c user.name="NAME" -c user.email="ADDRESS" commit … sets them for one command',
	isHarmless: true,
};

/** `commands`: what was run, where that is known. Undefined: the line tells neither of git's configuration nor of what would stand there. */
function gitRemedy(line: string, commands: readonly string[]): GitRemedy | undefined {
	if (NO_IDENTITY.test(line)) return IDENTITY;
	const [, file, hook] = GIT_NOT_WRITTEN.exec(line) ?? [];
	const path = file ?? hook;
	if (path === undefined) return undefined;
	const remedy = REMEDIES.find(({ of }) => commands.some((command) => of.test(command))) ?? REMEDIES.at(-1);
	const isHarmless = remedy?.isHarmless === true;
	const why = `${path} is read-only (git runs commands from it)`;
	if (isHarmless) return { words: `${BLOCKED}${why}; this is harmless: ${remedy.words}`, isHarmless };
	return { words: `${why}: ${remedy?.words}`, isHarmless };
}
