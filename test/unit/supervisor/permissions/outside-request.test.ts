import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Confinement } from "../../../../src/core/machine/sandbox.ts";
import { checkedRequest, type OutsideRequest } from "../../../../src/supervisor/permissions/outside-request.ts";

const temporary = () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "agentree-outside-")));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
};

const CONFINED: Confinement = { mode: "workspace", network: "proxy", hosts: [], mounts: [] };

test("what is asked for is what it is called: no links, no place of the sandbox alone, nothing that agents can swap", () => {
	const at = temporary();
	const place = (name: string) => {
		mkdirSync(join(at, name));
		return join(at, name);
	};
	const [project, home, other, secret] = [place("project"), place("home"), place("other"), place("secret")];
	mkdirSync(join(project, "sub"));
	symlinkSync(other, join(at, "link"));
	const mounts: Confinement["mounts"] = [
		{ path: project, as: "write" },
		{ path: secret, as: "hidden directory" },
	];
	const whole = { ...CONFINED, mounts };
	const readOnly = { ...CONFINED, mode: "read-only" as const, mounts: [{ path: project, as: "read" as const }] };
	const socket = join(home, "run", "r.sock");
	mkdirSync(join(home, "run"));
	const check = (more: Partial<OutsideRequest>, confinement: Confinement | undefined = whole) =>
		checkedRequest(
			{ say: "run_outside", command: "make", directory: project, ...more },
			{ confinement, whole, home, socket },
		);
	expect(check({})).toEqual({ is: "outside", command: "make", directory: project, rule: "Bash(make)" });
	expect(check({ write: [join(at, "link")], hosts: ["example.org"] })).toEqual({
		...{ is: "outside", command: "make", directory: project, write: [other], hosts: ["example.org"] },
	});
	const wrong: Partial<OutsideRequest>[] = [
		...["/tmp", "/run", secret, join(at, "link"), join(at, "gone"), "project", `${project}/`].map((directory) => ({
			directory,
		})),
		...[
			"/",
			home,
			join(home, "run"),
			"/proc",
			secret,
			join(at, "gone"),
			"/etc/passwd",
			project,
			join(project, "sub"),
		].map((path) => ({ write: [path] })),
		...["", "x y", "http://x"].map((host) => ({ hosts: [host] })),
		...["", " ", "a\0b", "a\rb", "a\x1b[8m", "a\u202eb", "x".repeat(4_001)].map((command) => ({ command })),
	];
	for (const more of wrong) expect([more, typeof check(more)]).toEqual([more, "string"]);
	expect(check({ write: [join(project, "sub")] }, readOnly)).toContain(
		"other agents of this run can already write there",
	); // an agent above could put a link there
});
