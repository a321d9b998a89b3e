/**
 * A small process that ends the processes of a session when the process that has started these is gone, however it went: it holds
 * one end of a pipe, which the kernel closes at the other.
 */
import { absolutePath } from "../core/machine/paths.ts";
import { childProcess } from "./child-process.ts";

/**
 * Reads the session's id, and then a line when the session needs no guard any more. Its members are asked first, and killed after
 * 3 s. Without /proc they are the process group of the session's leader.
 */
const GUARD = `
read -r session || exit
read -r over && exit
members() {
	found=
	[ -e /proc/self/stat ] || { kill -0 -- "-$session" && found="-$session"; return; }
	for file in /proc/[0-9]*/stat; do
		line=
		read -r line < "$file"
		set -- \${line##*) }
		[ "$4" = "$session" ] || continue
		case $1 in [ZX]) ;; *) found="$found \${line%% *}" ;; esac
	done
}
signal() { kill "-$1" -- $found; }
members
signal TERM
signal CONT
for time in {1..30}; do
	members
	[ -n "$found" ] || exit
	sleep 0.1
done
for time in {1..100}; do
	signal KILL
	members
	[ -n "$found" ] || exit
done
`;
const NAME = "agent guard";

interface SessionGuard {
	/** From now on the session ends with this process, which may be killed. `leader`: the session's first process, and its id. */
	guard(leader: number): void;
	/** The session is left alone. */
	dismiss(): void;
}

/** Starts it, so that there is no moment in which a session that starts after it would have none. */
export function startSessionGuard(env: Readonly<Record<string, string | undefined>>): SessionGuard {
	const child = childProcess().spawn("bash", ["-c", GUARD, NAME], {
		...{ env: { PATH: absolutePath(env.PATH) }, cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] },
	});
	child.once("error", () => {}); // whoever cannot start it has trouble with the command, too, and says so
	child.stdin?.on("error", () => {}); // it was killed
	child.unref();
	return {
		guard: (leader) => void child.stdin?.write(`${leader}\n`),
		dismiss: () => {
			if (child.stdin?.writable) child.stdin.end("over\n");
		},
	};
}
