import {
	chmodSync,
	chownSync,
	existsSync,
	lchownSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
	prepareSocket,
	readableStateDirectory,
	stateDirectoryOf,
	whyUnsafe,
} from "../../../../src/project/config/chosen-directory.ts";
import {
	configurationPath,
	prepareDirectory,
	socketDirectory,
	socketPath,
	stateDirectory,
} from "../../../../src/project/config/user-directories.ts";

const RUN = "20261127-201530-k3f9";
const OTHER = 2_000_000 + process.pid; // nobody has this number
const uid = process.getuid?.() ?? 0;
const isRoot = uid === 0; // only root can make what belongs to another user
const cwd = "/";

function directory(mode = 0o700): string {
	const path = mkdtempSync(join(tmpdir(), "agentree-chosen-"));
	onTestFinished(() => rmSync(path, { recursive: true, force: true }));
	chmodSync(path, mode);
	return path;
}

test("the state directory that the environment names is taken when it is safe, and nothing is said", () => {
	const home = directory();
	for (const [env, path] of [
		[{ AGENTREE_HOME: home, HOME: "/nowhere" }, home],
		[{ XDG_STATE_HOME: home, HOME: "/nowhere" }, join(home, "agentree")],
		[{ HOME: home }, join(home, ".local/state/agentree")],
	] as const) {
		expect(stateDirectoryOf({ env, cwd, uid })).toEqual({ path });
		expect(readableStateDirectory({ env, cwd, uid })).toEqual({ path });
	}
});

test("a sticky AGENTREE_HOME, as a new tmpfs is, is taken: nobody can replace what lies in it", () => {
	const home = directory(0o1777);
	expect(stateDirectoryOf({ env: { AGENTREE_HOME: home }, cwd, uid })).toEqual({ path: home });
	mkdirSync(join(home, "runs"));
	chmodSync(join(home, "runs"), 0o1777);
	expect(() => stateDirectoryOf({ env: { AGENTREE_HOME: home }, cwd, uid })).toThrow("runs is writable by everyone");
});

test("a directory of XDG_STATE_HOME where others may write is told of and not taken", () => {
	const [open, home] = [directory(0o777), directory()];
	const path = join(home, ".local/state/agentree");
	const notice = `storing runs in ${path} instead of ${open}/agentree: ${open} is writable by everyone`;
	expect(stateDirectoryOf({ env: { XDG_STATE_HOME: open, HOME: home }, cwd, uid })).toEqual({ path, notice });
});

test.skipIf(!isRoot)(
	"root with the variables of another user gets a home of its own, and the sockets lie in /tmp",
	() => {
		const theirs = directory();
		chownSync(theirs, OTHER, OTHER);
		const own = join(userInfo().homedir, ".local/state/agentree");
		const why = `${theirs} belongs to user ${OTHER}, not to you (0)`;
		for (const env of [{ HOME: theirs }, { XDG_STATE_HOME: theirs }, { XDG_STATE_HOME: theirs, HOME: theirs }])
			expect(readableStateDirectory({ env, cwd, uid })).toEqual({
				path: own,
				notice: expect.stringMatching(
					`storing runs in ${own} instead of ${theirs}/.*: ${why.replace(/[()]/g, "\\$&")}$`,
				),
			});
		const at = join(directory(), "home");
		expect(prepareSocket(RUN, at, { env: { XDG_RUNTIME_DIR: theirs }, uid })).toEqual({
			path: `/tmp/agentree-0/${RUN}.sock`,
			notice: `the socket of this run is /tmp/agentree-0/${RUN}.sock: ${why}`,
		});
		expect(existsSync(join(theirs, "agentree"))).toBe(false);
	},
);

test("a socket lies where the environment says, and its directory is closed to others", () => {
	const runtime = directory();
	mkdirSync(join(runtime, "agentree"));
	chmodSync(join(runtime, "agentree"), 0o777);
	const path = join(runtime, "agentree", `${RUN}.sock`);
	expect(prepareSocket(RUN, "/nowhere", { env: { XDG_RUNTIME_DIR: runtime }, uid })).toEqual({ path });
	expect(statSync(join(runtime, "agentree")).mode & 0o777).toBe(0o755);
});

// Seen to fail: no run started with an XDG_RUNTIME_DIR that a container or `su` had left.
test("where no directory for sockets can be made, they lie in /tmp", () => {
	const file = join(directory(), "file");
	writeFileSync(file, "");
	for (const runtime of ["/proc/1/nothing", file]) {
		const path = `/tmp/agentree-${uid}/${RUN}.sock`;
		expect(prepareSocket(RUN, "/nowhere", { env: { XDG_RUNTIME_DIR: runtime }, uid })).toEqual({
			path,
			notice: expect.stringMatching(new RegExp(`^the socket of this run is ${path}: E\\w+: .*${runtime}`)),
		});
	}
});

test.skipIf(!isRoot)("with a trap in /tmp, too, sockets lie in the state directory", () => {
	// The user with a number that nobody has: a directory in /tmp with its name is another's.
	const trap = `/tmp/agentree-${OTHER}`;
	symlinkSync("/no/such/place", trap);
	lchownSync(trap, OTHER + 1, OTHER + 1);
	onTestFinished(() => rmSync(trap, { force: true }));
	const home = directory(0o755);
	chownSync(home, OTHER, OTHER);
	expect(prepareSocket(RUN, home, { env: {}, uid: OTHER })).toEqual({
		path: join(home, "sockets", `${RUN}.sock`),
		notice: `the socket of this run is ${home}/sockets/${RUN}.sock: ${trap} is a symbolic link of user ${OTHER + 1}`,
	});
	expect(existsSync("/no")).toBe(false);
});

function made(path: string, mode: number): string {
	mkdirSync(path);
	chmodSync(path, mode);
	return path;
}

test("a directory of ours is safe, and what is missing below it or below a link of ours", () => {
	const home = directory();
	made(join(home, "state"), 0o755);
	symlinkSync("state", join(home, "link"));
	for (const path of ["state", "state/runs", "link", "link/../state/./x", "missing/a/b"])
		expect([path, whyUnsafe(join(home, path), uid)]).toEqual([path, undefined]);
});

test("a directory where others may write is not safe, nor what lies below it unless it is sticky", () => {
	const home = directory();
	const open = made(join(home, "open"), 0o777);
	const group = made(join(home, "group"), 0o770);
	chownSync(group, uid, isRoot ? 0 : (process.getgid?.() ?? 0) + 0);
	const sticky = made(join(home, "sticky"), 0o1777);
	made(join(open, "below"), 0o700);
	made(join(sticky, "below"), 0o700);
	expect(whyUnsafe(open, uid)).toBe(`${open} is writable by everyone`);
	expect(whyUnsafe(join(open, "below"), uid)).toBe(`${open} is writable by everyone`);
	expect(whyUnsafe(join(open, "missing"), uid)).toBe(`${open} is writable by everyone`);
	if (isRoot) expect(whyUnsafe(group, uid)).toBe(`${group} is writable by group 0`);
	expect(whyUnsafe(sticky, uid)).toBe(`${sticky} is writable by everyone`);
	expect(whyUnsafe(join(sticky, "below"), uid)).toBeUndefined();
	expect(whyUnsafe(open, uid, { isClosedThen: true })).toBeUndefined();
	expect(whyUnsafe(join(open, "below"), uid, { isClosedThen: true })).toBe(`${open} is writable by everyone`);
});

test.skipIf(!isRoot)(
	"what belongs to another user is not safe, nor what lies below it or behind a link of theirs",
	() => {
		const home = directory();
		const theirs = made(join(home, "theirs"), 0o755);
		chownSync(theirs, OTHER, OTHER);
		made(join(theirs, "ours"), 0o700);
		made(join(home, "state"), 0o700);
		symlinkSync("state", join(home, "link"));
		lchownSync(join(home, "link"), OTHER, OTHER);
		expect(whyUnsafe(theirs, uid)).toBe(`${theirs} belongs to user ${OTHER}, not to you (0)`);
		expect(whyUnsafe(join(theirs, "ours"), uid)).toBe(`${theirs} belongs to user ${OTHER}, not to you (0)`);
		expect(whyUnsafe(join(home, "link"), uid)).toBe(`${home}/link is a symbolic link of user ${OTHER}`);
	},
);

test.skipIf(!isRoot)("a group that has its user's number is that user's own, and root may own what is above", () => {
	const home = directory();
	chmodSync(home, 0o755);
	const own = made(join(home, "own"), 0o775);
	chownSync(own, OTHER, OTHER);
	const shared = made(join(home, "shared"), 0o775);
	chownSync(shared, OTHER, 100);
	expect(whyUnsafe(own, OTHER)).toBeUndefined();
	expect(whyUnsafe(join(own, "state"), OTHER)).toBeUndefined();
	expect(whyUnsafe(shared, OTHER)).toBe(`${shared} is writable by group 100`);
	expect(whyUnsafe(home, OTHER)).toBe(`${home} belongs to user 0, not to you (${OTHER})`);
});

test("a link that goes round in circles comes to an end", () => {
	const home = directory();
	symlinkSync("a", join(home, "a"));
	expect(whyUnsafe(join(home, "a", "b"), uid)).toBeUndefined();
});

test.each([
	["AGENTREE_HOME first", { AGENTREE_HOME: "/a", XDG_STATE_HOME: "/x", HOME: "/h" }, "/a"],
	["a relative AGENTREE_HOME from the working directory", { AGENTREE_HOME: "a/b", HOME: "/h" }, "/cwd/a/b"],
	["XDG_STATE_HOME next", { AGENTREE_HOME: "", XDG_STATE_HOME: "/x", HOME: "/h" }, "/x/agentree"],
	["no relative XDG_STATE_HOME", { XDG_STATE_HOME: "x", HOME: "/h" }, "/h/.local/state/agentree"],
	["the home directory last", { HOME: "/h" }, "/h/.local/state/agentree"],
	["the user's own home when HOME is empty", { HOME: "" }, `${userInfo().homedir}/.local/state/agentree`],
	["the user's own home when HOME is relative", { HOME: "h" }, `${userInfo().homedir}/.local/state/agentree`],
	["the user's own home without HOME", {}, `${userInfo().homedir}/.local/state/agentree`],
])("the state directory is %s", (_, env, path) => expect(stateDirectory(env, "/cwd")).toBe(path));

test.each([
	["XDG_RUNTIME_DIR", { XDG_RUNTIME_DIR: "/run/user/7" }, "/run/user/7/agentree"],
	["/tmp when it is relative", { XDG_RUNTIME_DIR: "run" }, "/tmp/agentree-7"],
	["/tmp when it is not set", {}, "/tmp/agentree-7"],
])("sockets lie below %s", (_, env, path) => expect(socketDirectory(env, 7)).toBe(path));

test("a socket path of 106 bytes is kept and a longer one moves to /tmp, counted in bytes", () => {
	const fixed = `/agentree/${RUN}.sock`.length;
	const longest = `/${"d".repeat(106 - fixed - 1)}`;
	expect(socketPath({ XDG_RUNTIME_DIR: longest }, 7, RUN)).toBe(`${longest}/agentree/${RUN}.sock`);
	expect(socketPath({ XDG_RUNTIME_DIR: `${longest}d` }, 7, RUN)).toBe(`/tmp/agentree-7/${RUN}.sock`);
	expect(socketPath({ XDG_RUNTIME_DIR: `/${"é".repeat(40)}` }, 7, RUN)).toBe(`/tmp/agentree-7/${RUN}.sock`);
});

test("a file in its place is refused", () => {
	const file = join(directory(0o700), "state");
	writeFileSync(file, "");
	expect(() => prepareDirectory(file, uid)).toThrow(notWritable(file));
});

test("in a place where everyone may write, a link is refused and nothing is made behind it", () => {
	const open = directory(0o1777);
	const target = join(directory(0o700), "target");
	symlinkSync(target, join(open, "dangling"));
	expect(() => prepareDirectory(join(open, "dangling"), uid)).toThrow(notWritable(join(open, "dangling")));
	expect(existsSync(target)).toBe(false);
	mkdirSync(target);
	symlinkSync(target, join(open, "link"));
	expect(() => prepareDirectory(join(open, "link"), uid)).toThrow(/symbolic link/);
});

test("in a place where everyone may write, a directory of another user is refused", () => {
	const path = join(directory(0o1777), "agentree-8");
	mkdirSync(path);
	expect(() => prepareDirectory(path, uid + 1)).toThrow(
		new RegExp(`it belongs to user ${uid}, not to you \\(${uid + 1}\\)`),
	);
});

test("in a place where everyone may write, our own directory is closed to others", () => {
	const path = join(directory(0o1777), "agentree");
	mkdirSync(path);
	chmodSync(path, 0o777);
	prepareDirectory(path, uid);
	expect(statSync(path).mode & 0o777).toBe(0o700);
});

function notWritable(path: string) {
	return expect.objectContaining({ code: "not_writable", message: expect.stringContaining(path) });
}

const at = (env: Record<string, string>) => configurationPath(env, () => "/work");

test("the configuration lies where the variable says, else where XDG says, else in the home", () => {
	expect(at({ AGENTREE_CONFIG: "own.yaml", HOME: "/home/ann" })).toEqual({ path: "/work/own.yaml", isNamed: true });
	expect(at({ AGENTREE_CONFIG: "/etc/own.yaml" })).toEqual({ path: "/etc/own.yaml", isNamed: true });
	expect(at({ XDG_CONFIG_HOME: "/conf", HOME: "/home/ann", AGENTREE_CONFIG: "" })).toEqual({
		path: "/conf/agentree/config.yaml",
		isNamed: false,
	});
	for (const xdg of ["", "relative"])
		expect(at({ XDG_CONFIG_HOME: xdg, HOME: "/home/ann" })?.path).toBe("/home/ann/.config/agentree/config.yaml");
});
