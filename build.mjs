/**
 * Builds dist/: what a child agent loads (agent.js, joining-agent.js, joined-agent.js, restore.js), the whole command line
 * (cli/main.js), what V8 compiles of them (.cache), a source map beside each file, with which the stack of a bug names our
 * sources, and the license texts of all bundled packages.
 * The command line keeps the names of our functions, for the stack of a bug. A child agent pays for each byte at every start, so its
 * bundles do not.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";

const ROOT = import.meta.dirname;

const SHARED = {
	...{ absWorkingDir: ROOT, bundle: true, platform: "node", target: "node20", metafile: true, logLevel: "warning" },
	...{ minifyWhitespace: true, minifySyntax: true, sourcemap: "linked", sourcesContent: false },
};

/**
 * Left out: `standardwebhooks`, which only the SDK's check of webhooks uses, that nobody calls here; the package ships no
 * licence text. `debug`, with which the agents for proxies would print their passwords when DEBUG is set.
 */
const LEFT_OUT = { standardwebhooks: "export class Webhook {}", debug: "export default () => () => {};" };
const WITHOUT_LEFT_OUT = {
	name: "left-out",
	setup: ({ onResolve, onLoad }) => {
		onResolve({ filter: /^(standardwebhooks|debug)$/ }, ({ path }) => ({ path, namespace: "left-out" }));
		onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: LEFT_OUT[path] }));
	},
};

/** The maps are for our sources. Of a package's file a map has the name alone: the positions would be half of all maps. */
const NAMED_PACKAGES = {
	name: "named-packages",
	setup: ({ onLoad }) => {
		onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, ({ path }) => {
			const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: "AAAA" });
			const code = readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*$/gm, "");
			const url = `data:application/json;base64,${Buffer.from(map).toString("base64")}`;
			return { contents: `${code}\n//# sourceMappingURL=${url}`, loader: "js" };
		});
	},
};

/**
 * One CommonJS file up to the join, and one that is loaded while the supervisor decides on it: a few files load faster than
 * many, and than ES modules.
 */
const CHILD = {
	...SHARED,
	...{ format: "cjs", outdir: "dist", minifyIdentifiers: true },
	entryPoints: {
		agent: "src/agent/entry.ts",
		"joining-agent": "src/agent/main.ts",
		"joined-agent": "src/agent/joined-agent.ts",
		restore: "src/agent/context/restore.ts",
		"outside-sandbox": "src/agent/bash/outside-sandbox.ts",
		todo: "src/agent/todo.ts",
		namespaces: "src/agent/network/namespaces.ts",
		ask: "src/agent/ask.ts",
		"outside-runner": "src/agent/bash/outside-runner.ts",
		"answer-thread": "src/supervisor/conversations/answer-thread.ts",
	},
};

/**
 * The command line is one CommonJS file too, of which each module runs when it is first needed. V8 has no cache of ES modules, and
 * dozens of files of what commands share took longer.
 */
const COMMAND_LINE = {
	...SHARED,
	...{ format: "cjs", outfile: "dist/cli/main.js", entryPoints: ["src/cli/main.ts"], external: ["blessed"] },
	define: { "import.meta.url": "urlOfThisFile" },
	banner: { js: 'const urlOfThisFile=require("node:url").pathToFileURL(__filename).href;' },
	plugins: [WITHOUT_LEFT_OUT, NAMED_PACKAGES],
};

const RUN_MS = 20_000;

/** `--say`: for somebody who waits for what comes behind the build. */
const say = process.argv.includes("--say") ? (what) => process.stderr.write(`${what}\n`) : () => {};

say("building agentree: its bundles …");
rmSync(join(ROOT, "dist"), { recursive: true, force: true });
const built = await Promise.all([build(CHILD), build(COMMAND_LINE)]);
say("building agentree: what V8 compiles of them …");
makeCodeCaches();
writeFileSync(join(ROOT, "dist/THIRD-PARTY-LICENSES.txt"), licencesOf(built.flatMap(bundledPackages)));

/** The directories of the packages of which the outputs hold anything. */
function bundledPackages({ metafile }) {
	const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
	return inputs.flatMap(([path, { bytesInOutput }]) => {
		const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
		return directory === undefined || bytesInOutput === 0 ? [] : [join(ROOT, directory)];
	});
}

function licencesOf(directories) {
	const texts = [...new Set(directories)].sort().map(licenceOf);
	return `agentree's own licence is in LICENSE. Its bundles hold code of these packages:\n\n${texts.join("\n")}`;
}

/** Throws for a package without a licence text: its code may not be shipped. */
function licenceOf(directory) {
	const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
	if (!files.some((file) => !/^notice/i.test(file)))
		throw new Error(`${name} ${version} is bundled, and has no licence text in ${directory}`);
	const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
	return `${"=".repeat(80)}\n${name} ${version}\n\n${texts.join("\n\n")}\n`;
}

/**
 * Has V8's code caches written (src/agent/entry.ts), by a small tree with no model and no network, in a home of its own, and a
 * command of each other kind. A child agent ends first, so the caches of its bundles are of what it uses. Where none can be run,
 * as without a place for sockets, the first processes of the user write the caches.
 */
function makeCodeCaches() {
	const home = mkdtempSync(join(tmpdir(), "agentree-build-"));
	try {
		mkdirSync(join(home, "run"), { mode: 0o700 });
		const { PATH } = process.env;
		const env = { PATH, HOME: home, AGENTREE_HOME: join(home, "state"), XDG_RUNTIME_DIR: join(home, "run") };
		// In a sandbox nothing writes beside the program.
		const run = ["run", "-q", "--sandbox", "off", "--model", "shell", "agent true; agent todo; agent ask x"];
		for (const args of [run, ["show"], ["chat"]])
			spawnSync(process.execPath, [join(ROOT, "bin/agent.js"), ...args], {
				...{ cwd: home, env, stdio: "ignore", timeout: RUN_MS },
			});
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}
