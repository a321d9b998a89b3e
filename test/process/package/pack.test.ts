/** The package as users get it: packed from a clean copy of the sources, installed in an empty folder, without a network. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** As the README says. */
const MAX_BYTES = { packed: 1_500_000, installed: 7_000_000 };

let home = "";
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string }[] };
let withDependency = 0; // bytes

const environment = () => ({
	PATH: process.env.PATH ?? "",
	HOME: home,
	XDG_RUNTIME_DIR: join(home, "run"),
	AGENTREE_HOME: join(home, "agentree"),
	npm_config_cache: join(home, "cache"),
	npm_config_registry: "http://127.0.0.1:9", // no server is there
	npm_config_audit: "false",
	npm_config_fund: "false",
	npm_config_update_notifier: "false",
});

const run = (file: string, args: string[], cwd: string) =>
	execFileSync(file, args, { cwd, env: environment(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const agent = (...args: string[]) => run(join(home, "empty/node_modules/.bin/agent"), args, join(home, "empty"));

beforeAll(() => {
	home = mkdtempSync(join(tmpdir(), "agentree-pack-"));
	for (const name of ["run", "empty", "project"]) mkdirSync(join(home, name), { mode: 0o700 });
	const project = join(home, "project");
	for (const name of ["bin", "src", "docs", "build.mjs", "package.json", "README.md", "CHANGELOG.md", "LICENSE"])
		cpSync(join(ROOT, name), join(project, name), { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
	[packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", home], project));
	const [blessed] = JSON.parse(run("npm", ["pack", "--json", join(ROOT, "node_modules/blessed")], home));
	withDependency = packed.unpackedSize + blessed.unpackedSize;
	run("npm", ["install", "--offline", `../${blessed.filename}`, `../${packed.filename}`], join(home, "empty"));
}, 300_000); // it builds, packs and installs

afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

test("the package holds the program, its maps, its licenses and its documentation, and nothing else", () => {
	const files = packed.files.map(({ path }) => path);
	const others = files.filter((path) => !/^dist\/cli\/[\w-]+\.js(\.map)?$|^docs\/[\w-]+\.(md|yaml|svg)$/.test(path));
	const own = ["CHANGELOG.md", "LICENSE", "README.md", "package.json", "bin/agent.js"];
	const bundles = [
		"agent",
		"joining-agent",
		"joined-agent",
		"answer-thread",
		"restore",
		"explain-refusal",
		"outside-runner",
		"namespaces",
		"todo",
		"ask",
	];
	const built = bundles.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]);
	const cached = ["joining-agent", "joined-agent", "todo", "ask"];
	built.push(...cached.map((name) => `dist/${name}.${process.versions.v8}.cache`));
	expect(others.sort()).toEqual([...own, ...built, "dist/THIRD-PARTY-LICENSES.txt"].sort());
	expect(files).toEqual(expect.arrayContaining(["dist/cli/main.js", "docs/demo.yaml"]));
	expect(packed.size).toBeLessThan(MAX_BYTES.packed);
	expect(withDependency).toBeLessThan(MAX_BYTES.installed);
});

test("the program installed in an empty folder prints its version and its help", () => {
	expect(agent("--version")).toBe(`${version}\n`);
	expect(run(join(home, "empty/node_modules/.bin/agentree"), ["--help"], home)).toMatch(/^Usage: agent /);
});

test("agent doctor of the installed program finds all that a run needs, except a key", () => {
	const { checks }: { checks: { result: string; what: string }[] } = JSON.parse(agent("doctor", "--json"));
	expect(checks.filter(({ result }) => result === "fail")).toEqual([]);
	expect(checks.map(({ what }) => what)).toContain("node");
});

test("agent demo of the installed program runs without a terminal and a key: plain lines, and an answer", () => {
	// Seen to fail with the script looked for beside the sources instead of beside the bundle.
	const cli = join(home, "empty/node_modules/.bin/agent");
	const demo = run("bash", ["-c", '"$0" demo -C "$1" 2>&1', cli, join(home, "project/bin")], home);
	expect(demo).toMatch(/^\d\d:\d\d:\d\d {2}run: \S+, model script:\S+\/docs\/demo\.yaml$/m);
	expect(demo).toContain("\nWhat lies in ");
	expect(demo).not.toContain("\x1b");
	const [ended, ...others] = JSON.parse(agent("ps", "--all", "--json"));
	expect([ended, others]).toMatchObject([{ state: "answer", exit_code: 0 }, []]);
	expect(ended.agent_count).toBeGreaterThan(3);
}, 60_000);
