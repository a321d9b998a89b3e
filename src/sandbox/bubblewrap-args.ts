/**
 * The arguments of bubblewrap (bwrap(1), package bubblewrap) for a confinement. All commands of an agent share one network,
 * which the agent makes and in which bubblewrap is started. Each mount is made in the order of the arguments, over what lies above
 * it: those of directories come before those of what is in them. Pure.
 */
import { isAtOrBelow } from "../core/machine/paths.ts";
import type { Confinement, Mount } from "../core/machine/sandbox.ts";
import { wordsOf } from "./places.ts";
import { socketsToHide } from "./socket-places.ts";

/** What every sandbox of a run has; paths are absolute and without links. */
export interface RunPlaces {
	/** What the commands of a run have as /tmp and /var/tmp; absent: nothing. */
	readonly temporary?: string;
	readonly stateDirectory: string;
	/** An empty file, in place of a hidden one. */
	readonly empty: string;
	/** What has to be there, wherever it lies: the program, node, what PATH names, the files of name resolution. */
	readonly needed: readonly string[];
	/** Where the git worktrees are made of what its agent starts; absent where it may start none with one. */
	readonly worktrees?: string;
	/** What commands see in place of caches: layers of the run's own. */
	readonly layers?: ReadonlyMap<string, string>;
	/** What they see in place of other directories, so that sockets in these are out of reach. */
	readonly seenThrough?: ReadonlyMap<string, string>;
	/** Of other programs. */
	readonly sockets?: readonly string[];
}

/** Of an agent. */
interface SandboxPlaces extends RunPlaces {
	readonly shims: string;
	readonly socket: string;
	/** Where the run's proxy listens, for this agent or for one below it. */
	readonly proxySocket: string;
	/** The pipes of the agent and of all below it. */
	readonly pipes: string;
	/** The agent's directory: there it and all below it put the output of their commands. */
	readonly output: string;
	/** Of agent 1: pipes and directory, in which those of all others lie. */
	readonly ofRoot: readonly string[];
	/** What lies there in place of the agent's part of the run's record; in another sandbox it lies there already. */
	readonly outputTree: string;
	/** Other output that it reads. */
	readonly readable: readonly SeenElsewhere[];
}

/** What is seen at a path; in another sandbox it is there already. */
export interface SeenElsewhere {
	readonly path: string;
	readonly from: string;
}

export interface Nesting {
	/** The agent's own process is in a sandbox: that of its parent. */
	readonly isNested: boolean;
	readonly isRoot: boolean;
	/** What is left in the background goes on without the agent. */
	readonly keepsBackground: boolean;
	/** bwrap is given a filter of system calls, as descriptor 4. */
	readonly isFiltered: boolean;
}

type Op =
	| (Mount & { readonly as: Exclude<Mount["as"], "copy"> })
	| { readonly path: string; readonly as: "bind" | "copy" | "read elsewhere"; readonly from: string }
	| { readonly path: string; readonly as: "device files" | "processes" };

/**
 * A user with the number 0 is that of the machine, without its rights, and owns the files in /proc/sys: they are covered. So
 * the kernel lets nobody inside mount another /proc, and the sandboxes in the sandbox of such a user have its process numbers.
 */
export function bubblewrapArgs(confinement: Confinement, places: SandboxPlaces, nesting: Nesting): string[] {
	const { isNested, isRoot, keepsBackground, isFiltered } = nesting;
	const sharesPids = isNested && isRoot;
	const ops = [...opsOfRun(confinement, places, nesting), ...opsOfAgent(confinement, places, nesting)];
	const covers = (isNested ? places.ofRoot : []).map((path): Op => ({ path, as: "hidden directory" }));
	return [
		...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"],
		...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []), // user_namespaces(7): to map 0 again for a sandbox in this one
		...(sharesPids ? [] : ["--unshare-pid", "--as-pid-1"]),
		...(keepsBackground ? [] : ["--die-with-parent"]),
		"--new-session",
		...(isFiltered ? ["--seccomp", "4"] : []),
		...mountArgs(ops, places.empty, covers),
		...(isRoot && !sharesPids ? PROC_COVERS.flatMap((path) => ["--ro-bind-try", path, path]) : []),
	];
}

/** For a program of the supervisor's that works on files which agents can change: it may do no more than their commands. */
export function helperArgs(
	confinement: Confinement,
	places: RunPlaces,
	{ isRoot, isFiltered }: Pick<Nesting, "isRoot" | "isFiltered">,
): string[] {
	return [
		...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-pid", "--as-pid-1", "--cap-drop", "ALL"],
		...(confinement.network === "host" ? [] : ["--unshare-net"]),
		...["--die-with-parent", "--new-session"],
		...(isFiltered ? ["--seccomp", "4"] : []),
		...mountArgs(opsOfRun(confinement, places, { isNested: false, isRoot }), places.empty),
		...(isRoot ? PROC_COVERS.flatMap((path) => ["--ro-bind-try", path, path]) : []),
	];
}

/** `covers`: of what an outer sandbox has there, and this one has not. */
function mountArgs(ops: readonly Op[], empty: string, covers: readonly Op[] = []): string[] {
	const all = withPins([...thereIn(effective(ops)), ...covers]);
	const sorted = all
		.map((op, at) => ({ op, at }))
		.sort((one, other) => one.op.path.length - other.op.path.length || one.at - other.at);
	const mounts = sorted.flatMap(({ op }) => argsOf(op, empty));
	return ["--ro-bind", "/", "/", ...mounts, ...remountArgs(all.filter((op) => !covers.includes(op)))];
}

/** For hidden directories that have mounts in them: bwrap makes directories there. A sandbox in this one takes them along as they are. */
function remountArgs(ops: readonly Op[]): string[] {
	const hidden = ops.filter(({ as }) => as === "hidden directory").map(({ path }) => path);
	const isAbove = (path: string) => ops.some((op) => op.path !== path && isAtOrBelow(op.path, path));
	return hidden.filter((path) => path === "/run" || isAbove(path)).flatMap((path) => ["--remount-ro", path]);
}

/** proc(5): what of it changes the machine for who owns it. */
const PROC_COVERS = wordsOf(`
	/proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi /proc/mtrr /proc/pressure /proc/scsi
	/proc/driver /proc/dynamic_debug /proc/asound /proc/latency_stats
`);

function opsOfRun(
	{ mounts }: Confinement,
	places: RunPlaces,
	{ isNested, isRoot }: Pick<Nesting, "isNested" | "isRoot">,
): Op[] {
	const { temporary, stateDirectory, needed, empty, worktrees, layers } = places;
	const { seenThrough = new Map<string, string>(), sockets = [] } = isNested ? {} : places;
	return [
		{ path: "/dev", as: "device files" },
		isNested && isRoot ? { path: "/proc", as: "write" } : { path: "/proc", as: "processes" },
		{ path: "/run", as: "hidden directory" },
		...["/tmp", "/var/tmp"].map((path): Op => {
			const from = isNested ? path : temporary;
			return from === undefined ? { path, as: "hidden directory" } : { path, as: "bind", from };
		}),
		...needed.map((path): Op => ({ path, as: "read" })),
		...[...seenThrough].map(([path, from]): Op => ({ path, as: "read elsewhere", from })),
		...socketsToHide(sockets, mounts, [...seenThrough.keys()]).map((path): Op => ({ path, as: "hidden file" })),
		{ path: stateDirectory, as: "hidden directory" },
		...(worktrees === undefined ? [] : [{ path: worktrees, as: "write" } as const]),
		...mounts.map((mount) => withLayer(mount, isNested ? mount.path : layers?.get(mount.path))),
		{ path: empty, as: "read" },
	];
}

function opsOfAgent({ network }: Confinement, places: SandboxPlaces, { isNested }: Pick<Nesting, "isNested">): Op[] {
	const { shims, socket, proxySocket, pipes, output, outputTree, readable } = places;
	return [
		...readable.map(({ path, from }): Op => ({ path, as: "read elsewhere", from: isNested ? path : from })),
		{ path: shims, as: "read" },
		isNested ? { path: output, as: "write" } : { path: output, as: "bind", from: outputTree },
		...[pipes, socket, ...(network === "none" ? [] : [proxySocket])].map((path): Op => ({ path, as: "write" })),
		{ path: `${output}/out`, as: "read" }, // its commands read what they have printed
	];
}

/** Without a layer the place is read alone. In a sandbox that of the outer one is in its place. */
function withLayer({ path, as }: Mount, layer: string | undefined): Op {
	if (as !== "copy") return { path, as };
	return layer === undefined ? { path, as: "read" } : { path, as, from: layer };
}

/** Without those that a later one at the same path covers; a layer may not be there, and then what is below it is seen. */
function effective(ops: readonly Op[]): Op[] {
	const last = new Map(ops.flatMap((op, at) => (op.as === "copy" ? [] : [[op.path, at] as const])));
	return ops.filter(({ path }, at) => at >= (last.get(path) ?? 0));
}

/** Of ops at one path the last one. */
const byPath = (ops: readonly Op[]) => new Map(ops.map((op) => [op.path, op]));

/** What is hidden where commands have another directory is not there for them, unless it lies in what they see of it. */
function thereIn(ops: readonly Op[]): Op[] {
	const at = byPath(ops);
	return ops.filter(({ path, as }) => {
		const above = as.startsWith("hidden") ? opAbove(path, at) : undefined;
		return !(above?.as === "bind" || above?.as.startsWith("hidden"));
	});
}

/**
 * A mount of their own for the directories between a writable place and a mount below it: a mount point can neither be renamed
 * nor removed, so nobody puts another directory, or a link, in the way to that mount, which the next command's bwrap follows.
 */
function withPins(ops: readonly Op[]): Op[] {
	const at = byPath(ops);
	const pins = new Map<string, Op>();
	for (const { path } of ops) {
		const above = opAbove(path, at);
		if (above === undefined || !(above.as === "write" || above.as === "copy" || above.as === "bind")) continue;
		for (const between of directoriesBetween(above.path, path))
			if (!at.has(between)) pins.set(between, pinAt(between, above));
	}
	return [...ops, ...pins.values()];
}

function pinAt(path: string, above: Op): Op {
	if (above.as === "copy") return { path, as: "copy", from: `${above.from}${path.slice(above.path.length)}` };
	return { path, as: above.as === "write" ? "write" : "hidden directory" }; // in a run's /tmp there is nothing of that path but the mount
}

/** The deepest above `path`. */
function opAbove(path: string, at: ReadonlyMap<string, Op>): Op | undefined {
	if (path === "/") return undefined;
	const parent = path.slice(0, path.lastIndexOf("/")) || "/";
	return at.get(parent) ?? opAbove(parent, at);
}

/** Those above `path` and below `root`. */
function directoriesBetween(root: string, path: string): string[] {
	const before = root === "/" ? "" : root;
	const parts = path.slice(before.length + 1).split("/");
	return parts.slice(0, -1).map((_, at) => `${before}/${parts.slice(0, at + 1).join("/")}`);
}

function argsOf(op: Op, empty: string): string[] {
	const { path } = op;
	switch (op.as) {
		case "write":
			return ["--bind-try", path, path]; // a person may have removed it
		case "read":
			return ["--ro-bind-try", path, path]; // it may have gone meanwhile
		case "read elsewhere":
			return ["--ro-bind-try", op.from, path];
		case "bind":
			return ["--bind", op.from, path];
		case "copy":
			return ["--bind-try", op.from, path]; // where the layer could not be mounted its directories are not there
		case "hidden directory":
			return ["--perms", "0555", "--tmpfs", path]; // bwrap looks through all mounts for each that it makes read-only
		case "hidden file":
			return ["--ro-bind", empty, path];
		case "device files":
			return ["--dev", path];
		case "processes":
			return ["--proc", path];
	}
}
