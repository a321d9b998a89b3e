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
} from "../../../../src/project/config/chosen-directory.ts";

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

test("an AGENTREE_HOME that is not safe is read, and refused for runs with what to do", () => {
	const open = directory(0o777);
	const user = { env: { AGENTREE_HOME: open, HOME: directory() }, cwd, uid };
	expect(readableStateDirectory(user)).toEqual({ path: open });
	expect(() => stateDirectoryOf(user)).toThrow(
		expect.objectContaining({
			code: "not_writable",
			message: `cannot use the directory ${open}: ${open} is writable by everyone (fix: chmod go-w); set AGENTREE_HOME (runs) or XDG_RUNTIME_DIR (sockets) to another path`,
		}),
	);
	const home = directory();
	mkdirSync(join(home, "runs"));
	chmodSync(join(home, "runs"), 0o777);
	expect(() => stateDirectoryOf({ env: { AGENTREE_HOME: home }, cwd, uid })).toThrow(
		`cannot use the directory ${home}: ${home}/runs is writable by everyone (fix: chmod go-w); set`,
	);
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
