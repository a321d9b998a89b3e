import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
	prepareDirectory,
	socketDirectory,
	socketPath,
	stateDirectory,
} from "../../../../src/project/config/user-directories.ts";

const RUN = "20261127-201530-k3f9";
const uid = process.getuid?.() ?? 0;

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

test("a directory that is there is used with the mode it has", () => {
	const own = join(temporary(0o700), "state");
	mkdirSync(own);
	chmodSync(own, 0o755);
	prepareDirectory(own, uid);
	expect(statSync(own).mode & 0o777).toBe(0o755);
});

test("a file in its place is refused", () => {
	const file = join(temporary(0o700), "state");
	writeFileSync(file, "");
	expect(() => prepareDirectory(file, uid)).toThrow(notWritable(file));
});

test("in a place where everyone may write, a link is refused and nothing is made behind it", () => {
	const open = temporary(0o1777);
	const target = join(temporary(0o700), "target");
	symlinkSync(target, join(open, "dangling"));
	expect(() => prepareDirectory(join(open, "dangling"), uid)).toThrow(notWritable(join(open, "dangling")));
	expect(existsSync(target)).toBe(false);
	mkdirSync(target);
	symlinkSync(target, join(open, "link"));
	expect(() => prepareDirectory(join(open, "link"), uid)).toThrow(/symbolic link/);
});

test("in a place where everyone may write, a directory of another user is refused", () => {
	const path = join(temporary(0o1777), "agentree-8");
	mkdirSync(path);
	expect(() => prepareDirectory(path, uid + 1)).toThrow(
		new RegExp(`it belongs to user ${uid}, not to you \\(${uid + 1}\\)`),
	);
});

test("in a place where everyone may write, our own directory is closed to others", () => {
	const path = join(temporary(0o1777), "agentree");
	mkdirSync(path);
	chmodSync(path, 0o777);
	prepareDirectory(path, uid);
	expect(statSync(path).mode & 0o777).toBe(0o700);
});

function temporary(mode: number): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-config-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	chmodSync(directory, mode);
	return directory;
}

function notWritable(path: string) {
	return expect.objectContaining({ code: "not_writable", message: expect.stringContaining(path) });
}
