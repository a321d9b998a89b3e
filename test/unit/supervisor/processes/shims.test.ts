import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shimText, writeShims } from "../../../../src/supervisor/processes/shims.ts";

const programs = (nodeProgram: string, agentProgram: string) => ({
	...{ nodeProgram, agentProgram },
	hasExtraCertificates: false,
});

test("the shim names the supervisor's own node and program", () => {
	expect(shimText(programs("/opt/node/bin/node", "/opt/agentree/dist/agent.js"))).toBe(
		'#!/opt/node/bin/node --\nrequire("/opt/agentree/dist/agent.js");\n',
	);
});

test("a program's path with quotes, backslashes or newlines is quoted as JavaScript", () => {
	const path = '/a "b"\\c\n/agent.js';
	expect(shimText(programs("/bin/node", path))).toBe(`#!/bin/node --\nrequire(${JSON.stringify(path)});\n`);
});

test("a path of node that cannot be an interpreter goes through sh, quoted", () => {
	expect(shimText(programs("/home/it's me/node", "/x/it's/agent.js"))).toBe(
		`#!/bin/sh\nexec '/home/it'\\''s me/node' -- '/x/it'\\''s/agent.js' "$@"\n`,
	);
	expect(shimText(programs(`/${"n".repeat(130)}`, "/agent.js")).split("\n")[0]).toBe("#!/bin/sh");
});

test("no first line is longer than every kernel reads", () => {
	for (let length = 110; length < 130; length++) {
		const [line = ""] = shimText(programs(`/${"n".repeat(length)}`, "/agent.js")).split("\n");
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
	const shims = writeShims(directory, programs("/bin/node", "/x/agent.js"));
	for (const name of ["agent", "agentree"]) {
		expect(readFileSync(join(shims, name), "utf8")).toBe(shimText(programs("/bin/node", "/x/agent.js")));
		expect(statSync(join(shims, name)).mode & 0o777).toBe(0o700);
	}
	expect(statSync(shims).mode & 0o777).toBe(0o700);
	expect(JSON.parse(readFileSync(join(shims, "package.json"), "utf8"))).toEqual({ type: "commonjs" });
});

test("a shim starts node without its extra certificates, and tells the agent where they are", () => {
	const { file, print } = printingProgram();
	const text = shimText({ ...programs(process.execPath, file), hasExtraCertificates: true });
	const run = (env: NodeJS.ProcessEnv) =>
		JSON.parse(execFileSync("/bin/sh", ["-c", text, "agent", "a task", "$x"], { env, encoding: "utf8" }));
	expect(run({ NODE_EXTRA_CA_CERTS: "/with 'quotes' $x/ca.pem" })).toEqual(
		print(["a task", "$x"], { AGENTREE_NODE_EXTRA_CA_CERTS: "/with 'quotes' $x/ca.pem" }),
	);
	expect(run({})).toEqual(print(["a task", "$x"], { AGENTREE_NODE_EXTRA_CA_CERTS: "" }));
});

/** A program that prints its arguments and the variables of certificates that it has. */
function printingProgram() {
	const directory = mkdtempSync(join(tmpdir(), "agentree-shim-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const file = join(directory, "agent.cjs");
	writeFileSync(
		file,
		`const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.includes("CERTS")));
console.log(JSON.stringify({ args: process.argv.slice(2), env }));`,
	);
	return { file, print: (args: string[], env: Record<string, string>) => ({ args, env }) };
}
