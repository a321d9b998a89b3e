import { expect, test } from "vitest";
import { MAY_TELL } from "../../../../src/agent/bash/confined.ts";
import { outsideSandbox } from "../../../../src/agent/bash/outside-sandbox.ts";
import type { Confinement } from "../../../../src/core/sandbox.ts";

const CONFINEMENT: Confinement = {
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/h/p", as: "write" },
		{ path: "/h/p/.git/hooks", as: "read" },
		{ path: "/h/p/.git/config", as: "read" },
		{ path: "/h/.ssh", as: "hidden directory" },
		{ path: "/h/.npmrc", as: "hidden file" },
	],
};
const read = (path: string) => `outside the sandbox: ${path} can be read, not written${NO_LEAVE}`;
const hidden = (path: string) => `outside the sandbox: ${path} is hidden from commands${NO_LEAVE}`;
const NO_LEAVE = "; nobody can be asked to allow it in this run";
const told = (text: string, mayLeave = false) => ({ text, cwd: "/h/p", home: "/h", mayLeave });

/** As the programs print it. */
test.each([
	["bash: line 1: /etc/x: Read-only file system", read("/etc/x")],
	["bash: line 1: ../out: Read-only file system", read("/h/out")],
	["touch: cannot touch '/etc/x': Read-only file system", read("/etc/x")],
	["mkdir: cannot create directory ‘/usr/a b’: Read-only file system", read("/usr/a b")],
	["rm: cannot remove '/etc/hosts': Read-only file system", read("/etc/hosts")],
	["mv: cannot move '.git/hooks' to 'h': Device or resource busy", read("/h/p/.git/hooks")],
	["error: could not write config file .git/config: Device or resource busy", read("/h/p/.git/config")],
	["ln: failed to create hard link 'linked' => '/h/victim/file': Invalid cross-device link", read("/h/victim/file")],
	["Error: EROFS: read-only file system, open '/etc/x'", read("/etc/x")],
	["OSError: [Errno 30] Read-only file system: '/etc/x'", read("/etc/x")],
	["npm error EROFS: read-only file system, mkdir '/h/.npm/_cacache'", read("/h/.npm/_cacache")],
	["ok\ncp: cannot create regular file '/opt/x': Read-only file system\nmore", read("/opt/x")],
	[
		"npm error enoent ENOENT: no such file or directory, mkdir '/h/.npm/_cacache'",
		read("/h/.npm/_cacache"), // mkdir -p in Node
	],
	["mv: cannot remove 'in': Device or resource busy", undefined],
	["cat: /h/.ssh/id: No such file or directory", hidden("/h/.ssh/id")],
	["cat: ~/.ssh/id: No such file or directory", hidden("/h/.ssh/id")],
	["bash: line 1: /h/.ssh/new: Read-only file system", hidden("/h/.ssh/new")],
	["cat: nothing: No such file or directory", undefined],
	["cat: /etc/nothing: No such file or directory", undefined],
	["bash: line 1: ./run.sh: Permission denied", undefined],
	["/tmp/x: Device or resource busy", undefined],
	["bash: line 1: /tmp/home/x: Read-only file system", read("/tmp/home/x")],
	["curl: (6) Could not resolve host: example.com", undefined],
	["it is said that a file system is read-only", undefined],
	["", undefined],
])("%j", (text, expected) => {
	expect(outsideSandbox(told(text), CONFINEMENT)).toBe(expected);
});

/** As the programs print it. */
test.each([
	[
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
		"the daemons of containers (Docker, Podman)",
	],
	["Failed to connect to bus: No such file or directory", "systemd and D-Bus"],
	["Failed to connect to user scope bus via local transport: No such file or directory", "systemd and D-Bus"],
	['sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', "other users (sudo, su)"],
	["sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set", "other users (sudo, su)"],
	["git@example.org: Permission denied (publickey).", "keys of ssh"],
	["Host key verification failed.", "keys of ssh"],
	["npm error code ENEEDAUTH", "what npm logs in with"],
	["docs/ssh.md:3: Host key verification failed.", undefined],
	["README.md:1:gpg: signing failed: No secret key", undefined],
	["gpg: signing failed: No secret key", undefined], // no such keys are hidden
	["To get started with GitHub CLI, please run:  gh auth login", undefined],
	["fatal: could not read Username for 'https://example.org': terminal prompts disabled", undefined],
])("%s", (line, missed) => {
	const expected = missed === undefined ? undefined : `outside the sandbox: ${missed}${NO_LEAVE}`;
	expect(outsideSandbox(told(`before\n${line}\nafter`), CONFINEMENT)).toBe(expected);
	if (missed !== undefined) expect(MAY_TELL.test(line)).toBe(true);
});

test("the root of what is writable is not moved", () => {
	expect(outsideSandbox(told("mv: cannot move '/h/p' to '/h/q': Device or resource busy"), CONFINEMENT)).toBe(
		read("/h/q"),
	);
});

test.each([
	"curl: (6) Could not resolve host: example.com",
	"fatal: unable to access 'https://example.com/': Could not resolve host: example.com",
	"connect: Network is unreachable",
	"Error: getaddrinfo EAI_AGAIN example.com",
	"Temporary failure resolving 'deb.debian.org'",
	"socket.gaierror: [Errno -3] Temporary failure in name resolution",
	"ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
])("without a network: %s", (text) => {
	const words = outsideSandbox(told(text), { ...CONFINEMENT, network: "none" });
	expect(words).toBe(`outside the sandbox: the network (--net none)${NO_LEAVE}`);
});

test("where a person can be asked to let a command leave the sandbox, the line says how", () => {
	expect(outsideSandbox(told("touch: cannot touch '/etc/x': Read-only file system", true), CONFINEMENT)).toBe(
		'outside the sandbox: /etc/x can be read, not written; agent ask --run "command" --why "reason" asks a person to let it run outside',
	);
});
