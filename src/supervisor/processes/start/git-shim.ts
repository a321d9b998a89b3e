/**
 * `git` as commands in a sandbox find it. What a sandbox keeps in its place is a mount, which nobody can remove: `git clean` would fail at
 * each. So it is told to leave them, by the table of mounts (proc_pid_mountinfo(5)); all else is the user's git, for 1 ms.
 */
import { findProgram } from "../../../processes/child-process.ts";
import type { RunSettings } from "../../../wire/supervise-order.ts";

/** That of a run whose commands are in a sandbox. */
export function gitToWrap({ sandbox, env }: Pick<RunSettings, "sandbox" | "env">): string | undefined {
	return sandbox && findProgram("git", env.PATH);
}

/** `git`: the program. A script for sh; that for `clean` needs lists, which bash has. */
export function gitShimText(git: string): string {
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
