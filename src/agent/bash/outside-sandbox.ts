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
const NOT_THERE = /no such file or directory|ENOENT|permission denied|EACCES|not found/i;
const NO_NETWORK =
	/network is unreachable|ENETUNREACH|could not resolve host|(?:temporary failure|failure) (?:in name resolution|resolving)|EAI_AGAIN|name or service not known|cannot assign requested address/i;

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
	const isNotWritten = NOT_WRITTEN.test(line);
	if (!isNotWritten && !NOT_THERE.test(line)) return undefined;
	const { mounts } = confinement;
	for (const path of pathsIn(line, told)) {
		const access = accessTo(path, mounts);
		if (isHidden(access)) return `outside the sandbox: ${path} is hidden from commands`;
		if (!isNotWritten || path === told.cwd) continue;
		if (access === "read" && (READ_ONLY.test(line) || !isTemporary(path)))
			return `outside the sandbox: ${path} can be read, not written`;
		if (mounts.some((mount) => mount.path === path)) return `the sandbox keeps ${path} in its place`;
	}
	return undefined;
}

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
