/** Foreign code is shipped with its license, or the build fails. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const DIST = join(ROOT, "dist");

/** The packages that the shipped files hold code of, by their source maps. */
function shippedPackages(): string[] {
	const maps = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".map"));
	const sources = maps.flatMap((file) => {
		const path = join(DIST, file);
		const { sources }: { sources: string[] } = JSON.parse(readFileSync(path, "utf8"));
		return sources.map((source) => resolve(dirname(path), source));
	});
	const directories = sources.flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
	return [...new Set(directories)].sort();
}

test("each package that the bundles hold code of is named with its version, and its license text is there whole", () => {
	const shipped = readFileSync(join(DIST, "THIRD-PARTY-LICENSES.txt"), "utf8");
	const packages = shippedPackages().map((directory) => {
		const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
		const [file = ""] = readdirSync(directory).filter((name) => /^licen[cs]e/i.test(name));
		return { name, version, text: readFileSync(join(directory, file), "utf8").trim() };
	});
	const names = packages.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(["@anthropic-ai/sdk", "commander", "execa", "p-limit", "yaml"]));
	const missing = packages.filter(
		({ name, version, text }) => !shipped.includes(`\n${name} ${version}\n\n`) || !shipped.includes(text),
	);
	expect(missing).toEqual([]);
});

/** The files that the build script starts from, below src. */
function sourcesOfBundles(): string[] {
	return [...readFileSync(join(ROOT, "build.mjs"), "utf8").matchAll(/"src\/([\w/-]+\.ts)"/g)].flatMap(
		([, file]) => file ?? [],
	);
}

/** A project with this build script, which bundles `theirs`, a package within a package. */
function projectWith(theirFiles: Record<string, string>): string {
	const home = mkdtempSync(join(tmpdir(), "agentree-build-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	const write = (path: string, text: string) => {
		mkdirSync(dirname(join(home, path)), { recursive: true });
		writeFileSync(join(home, path), text);
	};
	cpSync(join(ROOT, "build.mjs"), join(home, "build.mjs"));
	const outer = "node_modules/outer";
	write(`${outer}/package.json`, '{ "name": "outer", "version": "1.0.0" }');
	write(`${outer}/LICENSE`, "do as you like with outer");
	write(`${outer}/index.js`, "export { theirs } from 'theirs'; console.log('outer')");
	write(`${outer}/node_modules/theirs/package.json`, '{ "name": "theirs", "version": "2.0.0" }');
	write(`${outer}/node_modules/theirs/index.js`, "export const theirs = process.pid");
	for (const [name, text] of Object.entries(theirFiles)) write(`${outer}/node_modules/theirs/${name}`, text);
	for (const main of sourcesOfBundles())
		write(`src/${main}`, main === "cli/main.ts" ? "import { theirs } from 'outer'; console.log(theirs)" : "");
	mkdirSync(join(home, "node_modules/@jridgewell"));
	for (const needed of ["esbuild", "@jridgewell/sourcemap-codec"])
		symlinkSync(join(ROOT, "node_modules", needed), join(home, "node_modules", needed));
	return home;
}

const build = (home: string) => execFileSync(process.execPath, ["build.mjs"], { cwd: home, stdio: "pipe" });

test("the license of a package within a package is shipped, too", () => {
	const home = projectWith({ "COPYING.md": "do as you like with theirs", NOTICE: "they were here" });
	build(home);
	const shipped = readFileSync(join(home, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
	expect(shipped).toMatch(/\nouter 1\.0\.0\n\ndo as you like with outer\n/);
	expect(shipped).toMatch(/\ntheirs 2\.0\.0\n\ndo as you like with theirs\n\nthey were here\n/);
});

test("a package without a license text fails the build", () => {
	const home = projectWith({ "README.md": "do as you like" });
	expect(() => build(home)).toThrow(/theirs 2\.0\.0 is bundled, and has no license text/);
});
