/** The build has V8's code caches written; a program without them, or with damaged ones, is only slower, and writes missing ones. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { temporaryHome } from "../program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BUNDLES = ["ask", "joined-agent", "joining-agent", "todo"];
const END = `.${process.versions.v8}.cache`;
const OPENING = "(function (exports, require, module, __filename, __dirname) { ";

test("the built caches hold compiled functions of the bundles, and this node takes them", () => {
	const files = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" });
	expect(files).toEqual(expect.arrayContaining(BUNDLES.map((name) => name + END)));
	expect(files.filter((name) => /^cli.(main|chunk)/.test(name) && name.endsWith(END)).length).toBeGreaterThan(10);
	for (const name of BUNDLES) {
		const code = readFileSync(join(ROOT, "dist", `${name}.js`), "latin1");
		const cachedData = readFileSync(join(ROOT, "dist", name + END));
		const script = new Script(`${OPENING}${code}\n})`, { cachedData });
		expect([name, script.cachedDataRejected]).toEqual([name, false]);
		// Written after a run: what V8 compiles when it only loads the file is less than that.
		expect(cachedData.length).toBeGreaterThan(1.5 * new Script(`${OPENING}${code}\n})`).createCachedData().length);
	}
});

/** A copy of the program, and what runs a tree of two agents with it. */
function copyOfProgram() {
	const home = temporaryHome();
	for (const part of ["bin", "dist"]) cpSync(join(ROOT, part), join(home, part), { recursive: true });
	cpSync(join(ROOT, "package.json"), join(home, "package.json"));
	const env = {
		PATH: process.env.PATH,
		HOME: home,
		XDG_RUNTIME_DIR: join(home, "run"),
		AGENTREE_HOME: join(home, "s"),
	};
	const run = (...options: string[]) => {
		const args = [join(home, "bin/agent.js"), "run", "-q", ...options, "--model", "shell", 'agent "echo hi"'];
		const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: "utf8" });
		// Seen to fail with a listener for each missing cache: Node warned of eleven.
		expect(stderr).toBe("");
		return stdout;
	};
	const dist = join(home, "dist");
	const caches = () => {
		const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
		return files.filter((name) => name.endsWith(END)).map((name) => join(dist, name));
	};
	return { dist, run, caches };
}

test("with caches that V8 refuses a tree of agents runs as with good ones", () => {
	const { run, caches } = copyOfProgram();
	for (const file of caches()) {
		const other = readFileSync(file);
		other.writeUInt32LE(0xdeadbeef, 4); // V8's hash of its version
		writeFileSync(file, other);
	}
	expect(run()).toBe("hi\n");
});

test("the first processes write the caches that are missing, but none from within a sandbox", () => {
	const { run, caches, dist } = copyOfProgram();
	for (const file of caches()) rmSync(file);
	const written = (name: string) => caches().includes(join(dist, name + END));
	expect(run()).toBe("hi\n");
	expect(written("cli/main")).toBe(true);
	expect(run("--sandbox", "off")).toBe("hi\n");
	expect(written("joined-agent")).toBe(true);
	expect(readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /cache\./.test(name))).toEqual([]);
});

test("where a cache can be neither read nor written the program runs without it", () => {
	const { run, caches } = copyOfProgram();
	for (const file of caches()) {
		rmSync(file);
		mkdirSync(file);
	}
	expect(run("--sandbox", "off")).toBe("hi\n");
});
