/** What V8 has compiled of a child's bundles is made with them; a program without it, or with another version's, is slower only. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { temporaryHome } from "../program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BUNDLES = ["ask", "joined-agent", "joining-agent", "todo"];
const OPENING = "(function (exports, require, module, __filename, __dirname) { ";

test("the built caches hold compiled functions of the bundles, and this node takes them", () => {
	const caches = readdirSync(join(ROOT, "dist")).filter((name) => name.endsWith(".cache"));
	expect(caches.sort()).toEqual(BUNDLES.map((name) => `${name}.cache`));
	for (const name of BUNDLES) {
		const code = readFileSync(join(ROOT, "dist", `${name}.js`), "latin1");
		const cachedData = readFileSync(join(ROOT, "dist", `${name}.cache`));
		const script = new Script(`${OPENING}${code}\n})`, { cachedData });
		expect([name, script.cachedDataRejected]).toEqual([name, false]);
		// Made after a run: what V8 compiles when it only loads the file is less than that.
		expect(cachedData.length).toBeGreaterThan(1.5 * new Script(`${OPENING}${code}\n})`).createCachedData().length);
	}
});

test("without caches, and with those of another version, a tree of agents runs as with them", () => {
	const home = temporaryHome();
	for (const part of ["bin", "dist"]) cpSync(join(ROOT, part), join(home, part), { recursive: true });
	const env = {
		PATH: process.env.PATH,
		HOME: home,
		XDG_RUNTIME_DIR: join(home, "run"),
		AGENTREE_HOME: join(home, "s"),
	};
	const args = [join(home, "bin/agent.js"), "run", "-q", "--model", "shell", 'agent "echo hi"'];
	cpSync(join(ROOT, "package.json"), join(home, "package.json"));
	const run = () => execFileSync(process.execPath, args, { cwd: home, env, encoding: "utf8" });
	const cache = (name: string) => join(home, "dist", `${name}.cache`);
	for (const name of BUNDLES) {
		const other = readFileSync(cache(name));
		other.writeUInt32LE(0xdeadbeef, 4); // V8's hash of its version
		writeFileSync(cache(name), other);
	}
	expect(run()).toBe("hi\n");
	for (const name of BUNDLES) rmSync(cache(name));
	expect(run()).toBe("hi\n");
});
