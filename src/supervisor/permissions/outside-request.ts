/**
 * What an agent asks for that is to leave its sandbox, made exact before a person is asked: what is shown is what is run, and where. What
 * cannot be shown, or is not outside what it is inside, is refused in words for the model.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { defined } from "../../core/defined.ts";
import { readHostPattern } from "../../core/machine/host-pattern.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, deepestOver } from "../../core/machine/sandbox.ts";
import type { Asked } from "../../core/schemas/question.ts";
import { visibleCommand } from "../../text/safe/invisible.ts";
import type { RequestOf } from "../clients/client.ts";

const MAX_CHARS = 4_000; // a person has to read it

export type OutsideRequest = Omit<RequestOf<"run_outside">, "by">;
export type OutsideAsked = Extract<Asked, { is: "outside" }>;

interface Within {
	/** Of the agent; undefined for no sandbox. */
	readonly confinement: Confinement | undefined;
	/** Of the run; that of each agent is narrower. */
	readonly whole: Confinement | undefined;
	/** The state directory, and the run's socket. */
	readonly home: string;
	readonly socket: string;
}

/** A text: why it is refused. */
export function checkedRequest(request: OutsideRequest, within: Within): OutsideAsked | string {
	const { command, directory, write = [], hosts = [] } = request;
	const fault =
		commandFault(command) ??
		moreFault(request, within.confinement) ??
		hosts.map(hostFault).find((found) => found !== undefined) ??
		directoryFault(directory, within.confinement);
	if (fault !== undefined) return fault;
	const paths: string[] = [];
	for (const asked of write) {
		const place = writePlace(asked, within);
		if (place.fault !== undefined) return `--allow-write ${asked}: ${place.fault}`;
		paths.push(place.path);
	}
	const more = { write: paths.length > 0 ? paths : undefined, hosts: hosts.length > 0 ? hosts : undefined };
	const isPlain = paths.length + hosts.length === 0;
	return { is: "outside", command, directory, ...defined(more), ...(isPlain && { rule: outsideRule(command) }) };
}

/**
 * What "always" allows: this very text, in its directory. A rule with a `*` would allow `git push --receive-pack=PROGRAM` with `git push`,
 * which runs that program outside.
 */
function outsideRule(command: string): string {
	return `Bash(${command})`;
}

/** The same directory as when it was asked about. */
export function isStillThere(directory: string): boolean {
	try {
		return realpathSync(directory) === directory && statSync(directory).isDirectory();
	} catch {
		return false;
	}
}

function commandFault(command: string): string | undefined {
	if (command.trim() === "") return 'no command: agent ask --run "npm publish" --why "the release is tested"';
	if (command.length > MAX_CHARS)
		return `the command has ${command.length} characters, at most ${MAX_CHARS}, because a person has to read it: put it in a script and ask to run that`;
	if (visibleCommand(command) !== command)
		return "the command has invisible or misleading characters (control characters, marks that hide or reverse text, unusual spaces): write them as escapes ($'\\e')";
	return undefined;
}

function moreFault({ write, hosts }: OutsideRequest, confinement: Confinement | undefined): string | undefined {
	if (write === undefined && hosts === undefined) return undefined;
	if (confinement === undefined) return "this agent is not in a sandbox: run the command directly";
	if (hosts !== undefined && confinement.network === "host")
		return "--allow-host: the sandbox already has the machine's network";
	return undefined;
}

function hostFault(host: string): string | undefined {
	return readHostPattern(host) === undefined
		? `--allow-host ${host}: not a host; use example.org or *.example.org:8080`
		: undefined;
}

const REPLACED = ["/tmp", "/var/tmp", "/run", "/dev", "/proc"];

function directoryFault(directory: string, confinement: Confinement | undefined): string | undefined {
	if (!isShown(directory)) return "the directory name has invisible characters: cd to another directory";
	const mount = confinement === undefined ? undefined : deepestOver(directory, confinement.mounts);
	if (mount?.as.startsWith("hidden"))
		return `the directory ${directory} is hidden in the sandbox and different outside: cd to the project first`;
	const other = confinement === undefined ? undefined : REPLACED.find((place) => isAtOrBelow(directory, place));
	if (other !== undefined && (mount === undefined || !isAtOrBelow(mount.path, other)))
		return `the directory ${directory} exists only in the sandbox, and ${other} is different outside: cd to the project first, and do not use files in ${other}`;
	if (isStillThere(directory)) return undefined;
	return `the directory ${directory} does not exist outside the sandbox: cd to the project first`;
}

/** Of what a sandbox never shows. */
const NEVER_WRITTEN = ["/run", "/dev", "/proc", "/sys"];

function writePlace(
	asked: string,
	{ confinement, whole, home, socket }: Within,
): { path: string; fault?: undefined } | { fault: string } {
	let path: string;
	try {
		path = realpathSync(asked);
		if (!statSync(path).isDirectory()) return { fault: "it is not a directory" };
	} catch {
		return { fault: "no such directory" };
	}
	if (!isShown(path)) return { fault: "its name has invisible characters" };
	if (path === "/") return { fault: "that is the whole file system: ask without --allow-write" };
	const own = [...NEVER_WRITTEN, realpathSync(home), realpathSync(dirname(socket))];
	if (own.some((place) => isAtOrBelow(path, place))) return { fault: "no sandbox allows that" };
	if (confinement !== undefined && accessTo(path, confinement.mounts).startsWith("hidden"))
		return { fault: "it is hidden in the sandbox: ask without --allow-write" };
	// An agent that can write there, or above, could put a link that leads anywhere in its place before the sandbox is made.
	if (whole !== undefined && accessTo(path, whole.mounts) === "write")
		return {
			fault: "other agents of this run can already write there: let one of them do it, or ask without --allow-write",
		};
	return { path };
}

function isShown(path: string): boolean {
	return visibleCommand(path) === path && !/[\n\t]/.test(path);
}
