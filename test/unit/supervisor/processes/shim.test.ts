import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shimText, writeShims } from "../../../../src/supervisor/processes/shim.ts";

test("the shim names the supervisor's own node and program", () => {
	expect(shimText("/opt/node/bin/node", "/opt/agentree/dist/agent.js")).toBe(
		'#!/opt/node/bin/node --\nrequire("/opt/agentree/dist/agent.js");\n',
	);
});

test("a program's path with quotes, backslashes or newlines is quoted as JavaScript", () => {
	const path = '/a "b"\\c\n/agent.js';
	expect(shimText("/bin/node", path)).toBe(`#!/bin/node --\nrequire(${JSON.stringify(path)});\n`);
});

test("a path of node that cannot be an interpreter goes through sh, quoted", () => {
	expect(shimText("/home/it's me/node", "/x/it's/agent.js")).toBe(
		`#!/bin/sh\nexec '/home/it'\\''s me/node' -- '/x/it'\\''s/agent.js' "$@"\n`,
	);
	expect(shimText(`/${"n".repeat(130)}`, "/agent.js").split("\n")[0]).toBe("#!/bin/sh");
});

test("no first line is longer than every kernel reads", () => {
	for (let length = 110; length < 130; length++) {
		const [line = ""] = shimText(`/${"n".repeat(length)}`, "/agent.js").split("\n");
		expect(line.length).toBeLessThanOrEqual(127);
	}
});

test("both names are written, for their owner alone whatever the umask, and no package above makes modules of them", () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-shim-"));
	const umask = process.umask(0o177);
	onTestFinished(() => {
		process.umask(umask);
		rmSync(directory, { recursive: true, force: true });
	});
	const shims = writeShims(directory, "/bin/node", "/x/agent.js");
	for (const name of ["agent", "agentree"]) {
		expect(readFileSync(join(shims, name), "utf8")).toBe(shimText("/bin/node", "/x/agent.js"));
		expect(statSync(join(shims, name)).mode & 0o777).toBe(0o700);
	}
	expect(statSync(shims).mode & 0o777).toBe(0o700);
	expect(JSON.parse(readFileSync(join(shims, "package.json"), "utf8"))).toEqual({ type: "commonjs" });
});
