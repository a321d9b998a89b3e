/**
 * The program as commands find it: scripts `agent` and `agentree` in a directory of the run, which is first in PATH. A script
 * that names the supervisor's own node and program costs one exec less than `env node`, and stays right when PATH changes.
 * Where Node would read extra certificates at each start, sh puts that off: it costs 1 ms, and the certificates 25 to 30.
 * The `--` keeps Node 20 from taking an option of the program (`--env-file`) for its own.
 */

import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { EXTRA_CERTIFICATES, EXTRA_CERTIFICATES_ASIDE } from "../../core/run/cookie.ts";
import { findProgram } from "../../processes/child-process.ts";
import { makeDirectoriesBelow, replaceText } from "../../record/files/private-files.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

/** The directory of the scripts, below the run's. */
export const SHIMS = "bin";

const MAX_SHEBANG = 120; // the kernel cuts longer ones (127 bytes before Linux 5.1)

export interface Programs {
	readonly nodeProgram: string;
	readonly agentProgram: string;
	/** Whether the run's environment names certificates that Node would read at each start. */
	readonly hasExtraCertificates: boolean;
	/** That of a run whose commands are in a sandbox. */
	readonly git?: string | undefined;
}

/** Writes the scripts and gives their directory. Throws AgentreeError("not_writable"). */
export function writeShims(runDirectory: string, programs: Programs): string {
	const directory = join(runDirectory, SHIMS);
	makeDirectoriesBelow(runDirectory, directory); // a resumed run has it already, perhaps from another version
	for (const name of ["agent", "agentree"]) replaceText(join(directory, name), shimText(programs), { mode: 0o700 });
	if (programs.git !== undefined) replaceText(join(directory, "git"), gitShimText(programs.git), { mode: 0o700 });
	// Without it node reads a package.json further up, and where that says "module" there is no `require`.
	replaceText(join(directory, "package.json"), '{"type":"commonjs"}\n', { mode: 0o600 });
	return directory;
}

/** A line for a person when the kernel runs no script in `directory`; else undefined. */
export function whyShimsCannotRun(directory: string): string | undefined {
	try {
		accessSync(join(directory, "agent"), constants.X_OK); // also asks how the file system is mounted
		return undefined;
	} catch {
		return `agents cannot start child agents: ${directory} is on a file system mounted noexec; set AGENTREE_HOME to a directory elsewhere`;
	}
}

/** A script for node; for sh where the kernel cannot take the path of node as an interpreter, or certificates are put aside. */
export function shimText({ nodeProgram, agentProgram, hasExtraCertificates }: Omit<Programs, "git">): string {
	const mayBeShebang = nodeProgram.length < MAX_SHEBANG && !/\s/.test(nodeProgram);
	if (mayBeShebang && !hasExtraCertificates) return `#!${nodeProgram} --\nrequire(${JSON.stringify(agentProgram)});\n`;
	const aside = hasExtraCertificates ? PUT_CERTIFICATES_ASIDE : "";
	return `#!/bin/sh\n${aside}exec ${quoted(nodeProgram)} -- ${quoted(agentProgram)} "$@"\n`;
}

const PUT_CERTIFICATES_ASIDE = `export ${EXTRA_CERTIFICATES_ASIDE}="$${EXTRA_CERTIFICATES}"\nunset ${EXTRA_CERTIFICATES}\n`;

/**
 * `git` as commands in a sandbox find it. What a sandbox keeps in its place is a mount, which nobody can remove: `git clean` would fail at
 * each. So it is told to leave them, by the table of mounts (proc_pid_mountinfo(5)); all else is the user's git, for 1 ms.
 */

/** That of a run whose commands are in a sandbox. */
export function gitToWrap({ sandbox, env }: Pick<RunSettings, "sandbox" | "env">): string | undefined {
	return sandbox && findProgram("git", env.PATH);
}

/** `git`: the program. A script for sh; that for `clean` needs lists, which bash has. */
function gitShimText(git: string): string {
	return `#!/bin/sh
at=0
isValue=
for word; do
	at=$((at + 1))
	[ -z "$isValue" ] || { isValue=; continue; }
	case $word in
	-C | -c | --git-dir | --work-tree | --namespace | --exec-path | --config-env) isValue=yes ;;
	-*) ;;
	clean) exec bash -c ${quoted(CLEAN)} ${quoted(git)} "$at" "$@" ;;
	*) break ;;
	esac
done
exec ${quoted(git)} "$@"
`;
}

const CLEAN = `
at=$1
shift
before=("\${@:1:at-1}")
top=$("$0" "\${before[@]}" rev-parse --show-toplevel 2>/dev/null) || exec "$0" "$@"
while read -r _ _ _ _ place _; do
	printf -v place %b "$place"
	case $place in "$top"/.git/*) ;; "$top"/*)
		place=\${place#"$top"}
		place=\${place//\\\\/\\\\\\\\} place=\${place//\\*/\\\\*} place=\${place//\\?/\\\\?} place=\${place//\\[/\\\\[}
		kept+=(-e "$place") ;;
	esac
done < /proc/self/mountinfo
exec "$0" "\${before[@]}" clean "\${kept[@]}" "\${@:at+1}"`;

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
