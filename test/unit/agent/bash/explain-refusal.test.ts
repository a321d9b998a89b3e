import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MAY_TELL } from "../../../../src/agent/bash/bubblewrap-shell.ts";
import { explainRefusal } from "../../../../src/agent/bash/explain-refusal.ts";
import type { Confinement } from "../../../../src/core/machine/sandbox.ts";

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
const read = (path: string) => `blocked by the sandbox: ${path} is read-only${NO_LEAVE}`;
const hidden = (path: string) =>
	`blocked by the sandbox: ${path} is hidden from commands (a person can allow it with --allow-read)${NO_LEAVE}`;
const NO_LEAVE = "; nobody can allow it in this run";
const SSH = "/h/.ssh/config is hidden (a person can allow it with --allow-read ~/.ssh/config)";
const told = (text: string, mayLeave = false) => ({
	...{ text, hasFailed: true, command: "true", cwd: "/h/p", mayLeave },
	env: { HOME: "/h", PATH: "/usr/bin:/h/bin" } as Record<string, string>,
	linkAt: (path: string) => (path === "/h/bin/tool" ? "../.ssh/tools/tool" : undefined),
});

/** As the programs print it. */
test.each([
	["bash: line 1: /etc/x: Read-only file system", read("/etc/x")],
	["bash: line 1: ../out: Read-only file system", read("/h/out")],
	["touch: cannot touch '/etc/x': Read-only file system", read("/etc/x")],
	["mkdir: cannot create directory ‘/usr/a b’: Read-only file system", read("/usr/a b")],
	["rm: cannot remove '/etc/hosts': Read-only file system", read("/etc/hosts")],
	["mv: cannot move '.git/hooks' to 'h': Device or resource busy", read("/h/p/.git/hooks")],
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
	expect(explainRefusal(told(text), CONFINEMENT)).toBe(expected);
});

/** As the programs print it. */
test.each([
	[
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
		"container daemons (Docker, Podman)",
	],
	["Failed to connect to bus: No such file or directory", "systemd and D-Bus"],
	["Failed to connect to user scope bus via local transport: No such file or directory", "systemd and D-Bus"],
	['sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', "other users (sudo, su)"],
	["sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set", "other users (sudo, su)"],
	["git@example.org: Permission denied (publickey).", `ssh keys; ${SSH}`],
	["Host key verification failed.", `ssh keys; ${SSH}`],
	["npm error code ENEEDAUTH", "npm's login; /h/.npmrc is hidden (a person can allow it with --allow-read ~/.npmrc)"],
	["docs/ssh.md:3: Host key verification failed.", undefined],
	["README.md:1:gpg: signing failed: No secret key", undefined],
	["gpg: signing failed: No secret key", undefined], // no such keys are hidden
	["To get started with GitHub CLI, please run:  gh auth login", undefined],
	["fatal: could not read Username for 'https://example.org': terminal prompts disabled", undefined],
])("%s", (line, missed) => {
	const expected = missed === undefined ? undefined : `blocked by the sandbox: ${missed}${NO_LEAVE}`;
	expect(explainRefusal(told(`before\n${line}\nafter`), CONFINEMENT)).toBe(expected);
	if (missed !== undefined) expect(MAY_TELL.test(line)).toBe(true);
});

test.each([
	["touch: cannot touch 'new': Permission denied", "/h/p/new"],
	["bash: line 1: src/a.ts: Permission denied", "/h/p/src/a.ts"],
	["bash: line 1: new: Permission denied", "/h/p/new"], // seen to fail: a name alone was no path
	["rm: cannot remove '/h/p/a': Operation not permitted", "/h/p/a"],
	["Error: EACCES: permission denied, open '/h/p/dist/x'", "/h/p/dist/x"],
])("what root may not touch since it is another user's: %s", (line, path) => {
	const words = `blocked by the sandbox: ${path} belongs to another user, and root has no rights over it in a sandbox`;
	const isOthers = (named: string) => named === path;
	expect(explainRefusal({ ...told(line), isOthers }, CONFINEMENT)).toBe(`${words}${NO_LEAVE}`);
	expect(explainRefusal({ ...told(line), isOthers: () => false }, CONFINEMENT)).toBe(undefined);
	expect(MAY_TELL.test(line)).toBe(true);
});

test("the root of what is writable is not moved", () => {
	expect(explainRefusal(told("mv: cannot move '/h/p' to '/h/q': Device or resource busy"), CONFINEMENT)).toBe(
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
	'Exception in thread "main" java.net.UnknownHostException: example.com',
	"java.nio.channels.UnresolvedAddressException",
	"[ERROR] Unknown host repo.example.org: repo.example.org: Temporary failure in name resolution",
	"java.net.NoRouteToHostException: No route to host",
	'java.io.IOException: Unable to tunnel through proxy. Proxy returns "HTTP/1.1 403 Forbidden"',
	"dial tcp: lookup example.com on 127.0.0.53:53: server misbehaving",
	'Get "https://proxy.example.org/x": dial tcp: lookup proxy.example.org: no such host',
	"dial tcp 192.0.2.1:443: connect: network is unreachable",
	"dial tcp: lookup a.org on 10.0.0.1:53: read udp 127.0.0.1:1->127.0.0.53:53: read: connection refused",
	'Get "https://example.org/": proxyconnect tcp: EOF',
	"error sending request: dns error: failed to lookup address information",
	"getaddrinfo ENOTFOUND registry.example.org",
	"wget: unable to resolve host address ‘example.org’",
])("without a network: %s", (text) => {
	const words = explainRefusal(told(text), { ...CONFINEMENT, network: "none" });
	expect(words).toBe(`blocked by the sandbox: the network (--net none)${NO_LEAVE}`);
	expect(MAY_TELL.test(text)).toBe(true);
});

// Seen to fail: a command that read its own output was told that this is hidden.
test.each([
	["cat /h/.ssh/run/1/out/0001.log", "", undefined],
	["cat /h/.ssh/run/*/out/0001.log", "", undefined],
	["cat /h/.ssh/run/$a/out/0001.log", "cat: /h/.ssh/run/1/out/2.log: No such file or directory", undefined],
	["cat /h/.ssh/run/1/run.json", "", "/h/.ssh/run/1/run.json"],
	["ls /h/.ssh/run/", "", "/h/.ssh/run"],
	["cat /h/.npmrc", "", "/h/.npmrc"],
	["tool", "bash: line 1: other: command not found", undefined],
])("what is seen in a hidden place is not called hidden: %s", (command, text, path) => {
	const seen = ["/h/.ssh/run/1/out", "/h/.npmrc", "/h/.ssh/run/bin"];
	const of = { ...told(text), hasFailed: false, command, seen, env: { HOME: "/h", PATH: "/h/.ssh/run/bin" } };
	expect(explainRefusal(of, CONFINEMENT)).toBe(path && hidden(path));
});

// Seen to fail: a name alone was no path.
test("a name alone is one in the working directory", () => {
	const of = (text: string) => explainRefusal({ ...told(text), cwd: "/h/read" }, CONFINEMENT);
	expect(of("bash: line 1: new: Read-only file system")).toBe(read("/h/read/new"));
	expect(of("sh: 1: cannot create new: Read-only file system")).toBe(read("/h/read/new"));
	expect(of("fatal: Read-only file system")).toBe(undefined);
	expect(of("bash: line 1: new: No such file or directory")).toBe(undefined);
});

test("where a person can be asked to let a command leave the sandbox, the line says how", () => {
	expect(explainRefusal(told("touch: cannot touch '/etc/x': Read-only file system", true), CONFINEMENT)).toBe(
		'blocked by the sandbox: /etc/x is read-only; to ask a person to run it outside: agent ask --run "command" --why "reason"',
	);
});

test.each([
	["bash: line 1: tool: command not found", "/h/.ssh/tools/tool"],
	["sh: 1: tool: not found", "/h/.ssh/tools/tool"],
	["env: ‘tool’: No such file or directory", "/h/.ssh/tools/tool"],
	['exec: "tool": executable file not found in $PATH', "/h/.ssh/tools/tool"],
	["Error: spawn tool ENOENT", "/h/.ssh/tools/tool"],
	["bash: line 1: other: command not found", undefined],
])("a program that is not found where a link in PATH leads to what is hidden: %s", (text, path) => {
	expect(explainRefusal(told(text), CONFINEMENT)).toBe(path && hidden(path));
	if (path === undefined)
		expect(explainRefusal({ ...told(text), env: { PATH: "/usr/bin:/h/.ssh" } }, CONFINEMENT)).toBe(hidden("/h/.ssh"));
});

const BUSY = "error: could not write config file /h/p/.git/config: Device or resource busy";

/** Each has a row in docs/sandbox.md. */
test.each([
	["git remote add other ../up", BUSY, "git -c remote.NAME.url=URL"],
	["git -C sub push -q -u origin HEAD", BUSY, "everything works except setting the upstream branch"],
	["git push --set-upstream origin x", BUSY, "everything works except setting the upstream branch"],
	["git checkout -b y origin/master", BUSY, "everything works except setting the upstream branch"],
	["git branch -D y", BUSY, "its configuration stays"],
	["cd x && git submodule update --init", BUSY, "git -c submodule.active=."],
	["git sparse-checkout set a", BUSY, "git -c core.sparseCheckout=true read-tree -mu HEAD"],
	[
		"git lfs install",
		"warning: error running git: 'error: could not lock config file /h/.gitconfig: Read-only file system'",
		"git -c filter.lfs.clean=",
	],
	["git lfs install", "Error: open /h/p/.git/hooks/pre-push: read-only file system", "git -c filter.lfs.clean="],
	["git config user.name x", BUSY, "git -c NAME=VALUE COMMAND"],
	["make", BUSY, "git -c NAME=VALUE COMMAND"],
])("git that cannot write its configuration is told what does it without: %s", (command, text, remedy) => {
	const words = explainRefusal({ ...told(text), command, hasFailed: false }, CONFINEMENT) ?? "";
	const path = /\/h\/\S+?(?=:)/.exec(text)?.[0];
	expect(words).toContain(`blocked by the sandbox: ${path} is read-only (git runs commands from it)`);
	expect(words).toContain(remedy);
	const isHarmless = /push|git checkout|-D/.test(command);
	expect([words.includes("this is harmless"), words.includes(NO_LEAVE)]).toEqual([isHarmless, !isHarmless]);
	const docs = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
	expect(docs).toContain(remedy);
});

// Seen to fail: it was taken for empty.
test.each([
	["cat ~/.npmrc", "/h/.npmrc"],
	['ls -A "$HOME/.ssh"', "/h/.ssh"],
	["grep -c x /h/.npmrc || true", "/h/.npmrc"],
	["cat .npmrc ./.ssh/x", undefined],
	["curl https://example.org/h/.npmrc", undefined],
])("what is hidden looks empty, which a command that names it is told: %s", (command, path) => {
	const words = explainRefusal({ ...told(""), command, hasFailed: false }, CONFINEMENT);
	expect(words).toBe(path && hidden(path));
});

test("what of git is harmless is told once, and hides no other failure", () => {
	const known = new Set<string>();
	const push = (text: string) => explainRefusal({ ...told(text), command: "git push -u origin x", known }, CONFINEMENT);
	expect(push(BUSY)).toContain("this is harmless");
	expect(push(BUSY)).toBeUndefined();
	expect(push(`${BUSY}\ntouch: cannot touch '/etc/x': Read-only file system`)).toBe(read("/etc/x"));
});

test.each([
	"Author identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email",
	"Committer identity unknown",
	"fatal: empty ident name (for <a@b>) not allowed",
])("git without an identity is told how a command has one: %s", (text) => {
	const words = explainRefusal({ ...told(text), command: "git commit -m x" }, CONFINEMENT);
	expect(words).toMatch(/^git has no user name and email here: git -c user\.name=/);
	expect(MAY_TELL.test(text)).toBe(true);
});

test.each([
	["npm install own", "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/own", true],
	["npm view own | tail -1", "npm error 404  The requested resource 'own@*' could not be found", true], // seen to fail: its code was cut off
	["npm view own", "npm error code ETARGET\nnpm error notarget No matching version found for own@9", true],
	["yarn add own", 'error Couldn\'t find package "own" on the "npm" registry.', true],
	["npm ci", "npm error code EUSAGE", false],
])(
	"that a stranger may own the name of a package is said where it is merely not found: %s",
	(command, text, isWarned) => {
		for (const hasFailed of [true, false]) {
			const words = explainRefusal({ ...told(text), command, hasFailed }, CONFINEMENT) ?? "";
			expect(words.includes("a stranger may own that name")).toBe(isWarned);
			if (isWarned) expect([words.includes("--allow-read ~/.npmrc"), MAY_TELL.test(text)]).toEqual([true, true]);
		}
	},
);
