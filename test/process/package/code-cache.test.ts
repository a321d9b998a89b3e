/** The build has V8's code caches written; a program without them, or with damaged ones, is only slower, and writes missing ones. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { temporaryHome } from "../program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The caches, and the bundle that each is of. */
const CACHES = [
	["ask", "ask"],
	["cli/chat", "cli/main"],
	["cli/look", "cli/main"],
	["cli/run", "cli/main"],
	["joined-agent", "joined-agent"],
	["joining-agent", "joining-agent"],
	["todo", "todo"],
] as const;
const END = `.${process.versions.v8}.cache`;
const OPENING = "(function (exports, require, module, __filename, __dirname) { ";

test("the built caches hold compiled functions of the bundles, and this node takes them", () => {
	const files = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" });
	expect(files).toEqual(expect.arrayContaining(CACHES.map(([name]) => name + END)));
	for (const [name, bundle] of CACHES) {
		const code = readFileSync(join(ROOT, "dist", `${bundle}.js`), "latin1");
		const cachedData = readFileSync(join(ROOT, "dist", name + END));
		const script = new Script(`${OPENING}${code}\n})`, { cachedData });
		expect([name, script.cachedDataRejected]).toEqual([name, false]);
		// Written after a run: what V8 compiles when it only loads the file is less than that.
		const loaded = new Script(`${OPENING}${code}\n})`).createCachedData().length;
		expect(cachedData.length).toBeGreaterThan((bundle === "cli/main" ? 1.2 : 1.5) * loaded);
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
		return execFileSync(process.execPath, args, { cwd: home, env, encoding: "utf8" });
	};
	return { dist: join(home, "dist"), run, cache: (name: string) => join(home, "dist", name + END) };
}

test("with caches that V8 refuses a tree of agents runs as with good ones", () => {
	const { run, cache } = copyOfProgram();
	for (const [name] of CACHES) {
		const other = readFileSync(cache(name));
		other.writeUInt32LE(0xdeadbeef, 4); // V8's hash of its version
		writeFileSync(cache(name), other);
	}
	expect(run()).toBe("hi\n");
});

test("the first processes write the caches that are missing, but none from within a sandbox", () => {
	const { run, cache, dist } = copyOfProgram();
	for (const [name] of CACHES) rmSync(cache(name));
	expect(run()).toBe("hi\n");
	expect(existsSync(cache("cli/run"))).toBe(true);
	expect(run("--sandbox", "off")).toBe("hi\n");
	expect(existsSync(cache("joined-agent"))).toBe(true);
	expect(readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /cache\./.test(name))).toEqual([]);
});

test("where a cache can be neither read nor written the program runs without it", () => {
	const { run, cache } = copyOfProgram();
	for (const [name] of CACHES) {
		rmSync(cache(name));
		mkdirSync(cache(name));
	}
	expect(run("--sandbox", "off")).toBe("hi\n");
});
