/** Whether a command failed because of its sandbox, as far as what it printed tells. Pure. */
import { isAbsolute, resolve } from "node:path";
import { type Access, accessTo, type Confinement } from "../../core/sandbox.ts";

const MAX_LINES = 200; // of the last ones
const MAX_LINE = 2_000; // characters
const MAY_LEAVE = 'agent ask --run "command" --why "reason" asks a person to let it run outside';
const NO_LEAVE = "nobody can be asked to allow it in this run";
/** errno(3) in the words of the C library, and by name, as Node has it: read-only, and a mount point or a mount in the way. */
const NOT_WRITTEN = /read-only file system|EROFS|device or resource busy|EBUSY|invalid cross-device link|EXDEV/i;
const READ_ONLY = /read-only file system|EROFS/i;
/** Node's mkdir with all directories above, where it may not write. */
const NOT_MADE = /ENOENT: no such file or directory, mkdir/;
const NOT_THERE = /no such file or directory|ENOENT|permission denied|EACCES|not found/i;
const NO_NETWORK =
	/network is unreachable|ENETUNREACH|could not resolve host|(?:temporary failure|failure) (?:in name resolution|resolving)|EAI_AGAIN|name or service not known|cannot assign requested address/i;

/**
 * What programs say that cannot do without something that a sandbox does not have, at the beginning of a line: a search prints
 * where it has found such words. `hides`: below the home directory, one of them.
 */
const MISSED: readonly { readonly said: RegExp; readonly words: string; readonly hides?: readonly string[] }[] = [
	{
		said: /^(?:ERROR: |error: |Error: )?(?:cannot connect to the docker daemon|permission denied while trying to connect to the docker|(?:unable|cannot) (?:to )?connect to podman)/i,
		words: "the daemons of containers (Docker, Podman)",
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
		...{ words: "keys of ssh", hides: [".ssh"] },
	},
	{
		said: /^gpg: .*(?:no secret key|can't connect to the)|^error: gpg failed to sign/i,
		...{ words: "keys of gpg", hides: [".gnupg"] },
	},
	{
		said: /^to get started with github cli|^gh: .*gh auth login/i,
		words: "what gh logs in with",
		hides: [".config/gh"],
	},
	{
		said: /^fatal: could not read (?:username|password) for 'http/i,
		...{ words: "passwords of git", hides: [".git-credentials", ".config/git/credentials", ".netrc"] },
	},
	{ said: /^npm (?:error|ERR!) code (?:ENEEDAUTH|E401)/, words: "what npm logs in with", hides: [".npmrc"] },
	{ said: /^(?:\w+: )?unable to locate credentials/i, words: "keys of a cloud", hides: [".aws"] },
];

export interface Told {
	readonly text: string;
	readonly cwd: string;
	/** For paths that begin with `~`. */
	readonly home: string | undefined;
	/** A person can be asked. */
	readonly mayLeave: boolean;
}

/** A line for the model; undefined when nothing tells of the sandbox. */
export function outsideSandbox(told: Told, confinement: Confinement): string | undefined {
	const lines = told.text
		.split("\n")
		.slice(-MAX_LINES)
		.map((line) => line.slice(0, MAX_LINE));
	for (const line of lines) {
		const words = ofLine(line, told, confinement);
		if (words !== undefined) return `${words}; ${told.mayLeave ? MAY_LEAVE : NO_LEAVE}`;
	}
	return undefined;
}

function ofLine(line: string, told: Told, confinement: Confinement): string | undefined {
	if (confinement.network !== "host" && NO_NETWORK.test(line))
		return `outside the sandbox: the network (--net ${confinement.network})`;
	const { mounts } = confinement;
	const missed = MISSED.find(({ said, hides }) => said.test(line) && (hides?.some(isHiddenIn(told, mounts)) ?? true));
	if (missed !== undefined) return `outside the sandbox: ${missed.words}`;
	const isNotMade = NOT_MADE.test(line);
	const isNotWritten = isNotMade || NOT_WRITTEN.test(line);
	if (!isNotWritten && !NOT_THERE.test(line)) return undefined;
	for (const path of pathsIn(line, told)) {
		const access = accessTo(path, mounts);
		if (isHidden(access)) return `outside the sandbox: ${path} is hidden from commands`;
		if (!isNotWritten || path === told.cwd) continue;
		if (access === "read" && (isNotMade || READ_ONLY.test(line) || !isTemporary(path)))
			return `outside the sandbox: ${path} can be read, not written`;
		if (mounts.some((mount) => mount.path === path)) return `the sandbox keeps ${path} in its place`;
	}
	return undefined;
}

const isHiddenIn =
	({ home }: Told, mounts: Confinement["mounts"]) =>
	(name: string) =>
		home !== undefined && isHidden(accessTo(`${home}/${name}`, mounts));
const isHidden = (access: Access) => access === "hidden directory" || access === "hidden file";
const isTemporary = (path: string) => /^\/(var\/)?tmp\//.test(path);

const QUOTED = /'([^']+)'|‘([^’]+)’|"([^"]+)"|`([^`']+)['`]/g;

/** What looks like a path: in quotes, or a word with a slash in it. */
function pathsIn(line: string, { cwd, home }: Told): string[] {
	const quoted = [...line.matchAll(QUOTED)].flatMap((found) => found.slice(1).filter((each) => each !== undefined));
	const words = line.replace(QUOTED, " ").split(/:\s|:$|\s|,/);
	const named = [...quoted, ...words.filter((word) => /^[\w.~@+-]*\/|^\.\w/.test(word))];
	return named.flatMap((name) => {
		const whole = home !== undefined && name.startsWith("~/") ? `${home}${name.slice(1)}` : name;
		return isAbsolute(whole) || !whole.includes("://") ? [resolve(cwd, whole)] : [];
	});
}
