/**
 * Where a run was made. A run continues with what its files say, so one that was copied, unpacked or checked out from elsewhere
 * is told from those that were made here: a copy may have the same path or the same machine, but never the same inode.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { ifThere } from "../core/if-there.ts";
import type { Origin, RunFile } from "../core/schemas/run-files.ts";
import { adviceFor, asUserError, notReadable } from "./files/regular-file.ts";

const ID_CHARACTERS = 32;

/** Of a run's directory. Throws AgentreeError("not_found") when that is gone. */
export function originOf(directory: string): Origin {
	const find = () => ({ inode: String(statSync(directory, { bigint: true }).ino), directory: realpathSync(directory) });
	return { host: hostId(), ...asUserError(find, (code) => notReadable(directory, adviceFor(code))) };
}

/**
 * Why the run was not made in this directory, as in `it was made in /elsewhere`; undefined when it was. A directory that was
 * moved is the same, and so is one that was put back where it was.
 */
export function whyForeign(directory: string, file: RunFile): string | undefined {
	const { origin, format } = file;
	if (origin === undefined)
		return format === 1 && looksLikeOurs(directory, file) ? undefined : "where it was created is not recorded";
	const here = originOf(directory);
	const isSameHost = origin.host === here.host;
	if (!isSameHost && isMachineId(here.host)) return `it was created on another machine, in ${origin.directory}`;
	if (origin.inode === here.inode || (isSameHost && origin.directory === here.directory)) return undefined;
	return `it was created in ${origin.directory}`;
}

/** Runs of format 1 do not tell where they were made: what they name is here, is its owner's, and no repository is around them. */
function looksLikeOurs(directory: string, { cwd, socket }: RunFile): boolean {
	const owner = statSync(directory).uid;
	const isOwners = (path: string) => statSync(path, { throwIfNoEntry: false })?.uid === owner;
	return isOwners(cwd) && isOwners(dirname(socket)) && !isInRepository(directory);
}

function isInRepository(path: string): boolean {
	return existsSync(join(path, ".git")) || (dirname(path) !== path && isInRepository(dirname(path)));
}

/** The machine's id is not to be shown to others, so its hash stands for it. Its name, where it has none: that of a container changes. */
function hostId(): string {
	const id = machineId();
	if (id === undefined) return `name:${hostname()}`;
	return `id:${createHash("sha256").update(`agentree:${id}`).digest("hex").slice(0, ID_CHARACTERS)}`;
}

function isMachineId(host: string): boolean {
	return host.startsWith("id:");
}

function machineId(): string | undefined {
	return ifThere(() => readFileSync("/etc/machine-id", "utf8").trim() || undefined);
}
