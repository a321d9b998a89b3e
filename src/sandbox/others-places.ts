/**
 * What a run as root is to write to, and cannot: in the user namespace of a sandbox root has no rights over the files of other users,
 * as those of a project that a container has from outside, or that `sudo` works in.
 */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { TRIAL_MS, TRIED_NAMESPACES } from "./probe.ts";

const TRY = 'for path; do [ -w "$path" ] || printf "%s\\0" "$path"; done';

/** A line for each directory that is another user's and not writable in a sandbox. `program`: bwrap. */
export function othersPlaces(paths: readonly string[], { program, uid }: { program: string; uid: number }): string[] {
	if (uid !== 0) return []; // nobody else has rights over others' files outside of a sandbox
	const owners = new Map([...new Set(paths)].map((path) => [path, ownerOf(path)]));
	const tried = [...owners.keys()].filter((path) => owners.get(path) !== 0);
	if (tried.length === 0) return [];
	const args = [...TRIED_NAMESPACES, "--dev-bind", "/", "/", "--", "/bin/sh", "-c", TRY, "sh", ...tried];
	const { stdout } = spawnSync(program, args, { encoding: "utf8", timeout: TRIAL_MS });
	const refused = (stdout ?? "").split("\0").filter((path) => path !== "");
	return refused.map((path) => wordsOf(path, owners.get(path) ?? 0));
}

function ownerOf(path: string): number {
	try {
		return statSync(path).uid;
	} catch {
		return 0; // it is not there
	}
}

function wordsOf(path: string, owner: number): string {
	return (
		`commands cannot write to ${path}: it belongs to the user ${owner}, and in a sandbox root has no rights over files of others; ` +
		`start the run as that user (sudo -u '#${owner}' …; in a container --user ${owner}), or make it root's (chown -R root ${path}), or give --sandbox off`
	);
}
