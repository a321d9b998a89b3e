import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { askedModel } from "../../../../src/supervisor/agents/asked-role.ts";

let home: string;

beforeAll(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "agentree-asked-")));
	for (const name of ["work/sub", "run/1"]) mkdirSync(join(home, name), { recursive: true });
	for (const name of ["own.yaml", "outside.yaml", "work/sub/a.yaml", "run/1/b.yaml"])
		writeFileSync(join(home, name), "agents: []");
	symlinkSync("../outside.yaml", join(home, "work/link.yaml"));
	execFileSync("mkfifo", [join(home, "work/fifo.yaml")]);
	return () => rmSync(home, { recursive: true });
});

function asked(model: string | undefined, cwd = join(home, "work")): string | undefined {
	const join_ = {
		...{ say: "join", pid: 5, pidNamespace: null, cwd: "/", limits: {} },
		startedIn: join(home, "work/sub"),
	};
	const request = { ...join_, say: "join" as const, ...(model !== undefined && { model }) };
	return askedModel(request, { model: `script:${home}/own.yaml`, cwd, directory: join(home, "run") });
}

test("an agent may name the run's own script, and one below the directory where the run works, or its own", () => {
	const own = `script:${home}/own.yaml`;
	expect([asked(undefined), asked("shell"), asked(own)]).toEqual([undefined, "shell", own]);
	expect(asked("script:a.yaml")).toBe(`script:${home}/work/sub/a.yaml`);
	expect(asked(`script:${home}/run/1/b.yaml`)).toBe(`script:${home}/run/1/b.yaml`);
});

// Seen to fail: the supervisor opened whatever an agent named.
test.each(["/dev/zero", "/etc/passwd", "HOME/outside.yaml", "../link.yaml", "../../outside.yaml"])(
	"a script that lies elsewhere is refused, with what to do instead: %s",
	(file) => {
		const work = join(home, "work");
		expect(() => asked(`script:${file.replace("HOME", home)}`)).toThrow(
			`is outside ${work}: inside a run, use a script below that directory, or leave out --model to keep yours`,
		);
	},
);

test("what is no regular file is no script, wherever it lies, and the root of all directories bounds nothing", () => {
	expect(() => asked("script:../fifo.yaml")).toThrow(`the script ${home}/work/fifo.yaml is not a regular file`);
	expect(() => asked("script:/etc/passwd", "/")).toThrow(
		"the script /etc/passwd is outside /: inside a run, use a script below that directory, or leave out --model to keep yours",
	);
});

test("a run whose directory was removed still refuses with a reason", () => {
	expect(() => asked("script:/etc/passwd", "/gone")).toThrow(
		"the script /etc/passwd is outside /gone: inside a run, use a script below that directory, or leave out --model to keep yours",
	);
});
