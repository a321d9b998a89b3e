/**
 * Builds dist/: what a child agent loads (agent.js, joining-agent.js, joined-agent.js, restore.js), the whole command line
 * (cli/), what V8 compiles of them (.cache), a source map beside each file, with which the stack of a bug names the lines of
 * our sources, and the license texts of all bundled packages.
 * The command line keeps the names of our functions, for the stack of a bug. A child agent pays for each byte at every start, so its
 * bundles do not.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { build, transform } from "esbuild";

const ROOT = import.meta.dirname;
const SRC = join(ROOT, "src");

const SHARED = {
	...{ absWorkingDir: ROOT, bundle: true, platform: "node", target: "node20", metafile: true, logLevel: "warning" },
	...{ minifyWhitespace: true, minifySyntax: true, sourcemap: "linked", sourcesContent: false },
};

/**
 * Left out: what the SDKs have for each part of their API, as here only their clients are used, which send requests; `debug`,
 * with which the agents for proxies would print their passwords when DEBUG is set.
 */
const LEFT_OUT = {
	resources: "module.exports = Object.create(new Proxy({}, { get: () => class {} }))", // a class for each name
	debug: "export default () => () => {};",
};
const OF_SDKS = /node_modules\/(openai|@anthropic-ai\/sdk)\//;
const WITHOUT_LEFT_OUT = {
	name: "left-out",
	setup: ({ onResolve, onLoad }) => {
		onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: "left-out" }));
		onResolve({ filter: /^\.\.?\/(.*\/)?resources\// }, ({ importer }) =>
			OF_SDKS.test(importer) ? { path: "resources", namespace: "left-out" } : undefined,
		);
		onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: LEFT_OUT[path] }));
	},
};

/** The maps are for our sources. Of a package's file a map has the name alone. */
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
	...{ format: "cjs", outdir: "dist", minifyIdentifiers: true, write: false },
	entryPoints: {
		agent: "src/agent/entry.ts",
		"joining-agent": "src/agent/main.ts",
		"joined-agent": "src/agent/joined-agent.ts",
		restore: "src/agent/context/restore.ts",
		"explain-refusal": "src/agent/bash/explain-refusal.ts",
		todo: "src/agent/commands/todo.ts",
		namespaces: "src/agent/network/namespaces.ts",
		ask: "src/agent/commands/ask.ts",
		"outside-runner": "src/agent/bash/outside-runner.ts",
		"answer-thread": "src/supervisor/conversations/answer-thread.ts",
	},
};

async function buildChild() {
	const { outputFiles, metafile } = await build(CHILD);
	mkdirSync(join(ROOT, "dist"), { recursive: true });
	for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith(".map") ? linesOf(text) : text);
	return { metafile };
}

/**
 * esbuild makes a file of each set of modules that the same imports share. A command would load dozens: so what needs much the
 * same is loaded together, and what is small and shared by several is loaded at first. Paths in `src/`.
 */
const LOADED_TOGETHER = [
	["cli/commands/run.ts"],
	["cli/start/host-run.ts", "cli/host/host-supervisor.ts", "cli/start/start-stream.ts", "cli/start/resume.ts"],
	["cli/commands/chat.ts"], // its prompt is waited for: it loads no supervisor
	[
		...commandFiles("attach", "ps", "ls", "show", "log", "why", "stop", "steer", "wait", "questions", "rm", "undo"),
		...["cli/commands/models.ts", "cli/export/export-run.ts", "faces/print/show/follow-transcript.ts"],
	],
	commandFiles("doctor", "completion"),
	["cli/commands/edit.ts"],
	["models/anthropic/anthropic.ts", "models/anthropic/credentials.ts"],
	["models/openai/hosted-model.ts", "models/openai/list-hosted.ts"],
];
/** What `cli/main.ts` loads. */
const LOADED_FIRST = ["cli/command-line.ts", "cli/io/process-io.ts", "models/secrets-in.ts"];
const SMALL_BYTES = 4096;

/** Has each module that is imported later import `first` and its group, too. */
function fewFiles(first) {
	const imported = importedLater();
	const filter = /\/src\/.*\.ts$/;
	const setup = ({ onLoad }) => {
		onLoad({ filter }, ({ path }) => {
			if (!imported.has(relative(SRC, path))) return undefined;
			const group = LOADED_TOGETHER.find((files) => files.includes(relative(SRC, path))) ?? [];
			const lines = [...first, ...group].map((file) => `import ${JSON.stringify(join(SRC, file))};`);
			return { contents: `${readFileSync(path, "utf8")}\n${lines.join("\n")}`, loader: "ts" };
		});
	};
	return { name: "few-files", setup };
}

/** The sources that are imported when they are needed, by `import()`. */
function importedLater() {
	const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
	const imports = sources.flatMap((file) => {
		const code = readFileSync(join(SRC, file), "utf8");
		return [...code.matchAll(/import\("(\.[^"]+)"\)/g)].map(([, path]) => join(dirname(file), path));
	});
	return new Set(imports);
}

/** The sources that would be a small file for themselves. */
async function smallSources() {
	const { metafile } = await build(commandLine(LOADED_FIRST));
	const chunks = Object.values(metafile.outputs).filter((chunk) => chunk.entryPoint === undefined);
	const sources = chunks.filter(({ bytes }) => bytes < SMALL_BYTES).flatMap(({ inputs }) => Object.keys(inputs));
	return sources.filter((path) => path.startsWith("src/")).map((path) => relative("src", path));
}

function commandFiles(...names) {
	return names.map((name) => `cli/commands/${name}.ts`);
}

const commandLine = (first) => ({
	...SHARED,
	...{ format: "esm", splitting: true, outdir: "dist/cli", entryPoints: ["src/cli/main.ts"], external: ["blessed"] },
	...{ sourcemap: "inline", write: false, define: { "import.meta.url": "urlOfThisFile" } },
	plugins: [WITHOUT_LEFT_OUT, fewFiles(first), NAMED_PACKAGES],
});

/** The command line is many files, of which each command loads a few. esbuild can split only ES modules; V8 can cache only scripts. */
async function buildCommandLine() {
	const { outputFiles, metafile } = await build(commandLine([...LOADED_FIRST, ...(await smallSources())]));
	mkdirSync(join(ROOT, "dist/cli"), { recursive: true });
	await Promise.all(outputFiles.map(writeAsCommonJs));
	return { metafile };
}

const URL_OF_FILE = 'const urlOfThisFile=require("node:url").pathToFileURL(__filename).href;';

async function writeAsCommonJs({ path, text }) {
	const { code, map } = await transform(text, {
		...{ format: "cjs", platform: "node", target: "node20", supported: { "dynamic-import": false } },
		...{ minifyWhitespace: true, minifySyntax: true, banner: text.includes("urlOfThisFile") ? URL_OF_FILE : "" },
		...{ sourcemap: "external", sourcesContent: false, sourcefile: path },
	});
	writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
	writeFileSync(`${path}.map`, linesOf(map));
}

/** A source map of lines alone, as the stack of a bug needs it: columns and names would be a quarter of the package. */
function linesOf(map) {
	const { mappings, ...rest } = JSON.parse(map);
	const isSameLine = ([, source, line], [, lastSource, lastLine] = []) => source === lastSource && line === lastLine;
	const lines = decode(mappings).map((segments) =>
		segments.filter((segment, i) => !isSameLine(segment, segments[i - 1])).map((segment) => segment.slice(0, 4)),
	);
	return JSON.stringify({ ...rest, names: [], mappings: encode(lines) });
}

const RUN_MS = 20_000;

/** `--say`: for somebody who waits for what comes behind the build. */
const say = process.argv.includes("--say") ? (what) => process.stderr.write(`${what}\n`) : () => {};

say("building agentree: its bundles …");
rmSync(join(ROOT, "dist"), { recursive: true, force: true });
const built = await Promise.all([buildChild(), buildCommandLine()]);
say("building agentree: what V8 compiles of them …");
makeCodeCaches();
writeFileSync(join(ROOT, "dist/THIRD-PARTY-LICENSES.txt"), licensesOf(built.flatMap(bundledPackages)));

/** The directories of the packages of which the outputs hold anything. */
function bundledPackages({ metafile }) {
	const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
	return inputs.flatMap(([path, { bytesInOutput }]) => {
		const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
		return directory === undefined || bytesInOutput === 0 ? [] : [join(ROOT, directory)];
	});
}

function licensesOf(directories) {
	const texts = [...new Set(directories)].sort().map(licenseOf);
	return `agentree's own license is in LICENSE. Its bundles hold code of these packages:\n\n${texts.join("\n")}`;
}

/** Throws for a package without a license text: its code may not be shipped. */
function licenseOf(directory) {
	const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
	if (!files.some((file) => !/^notice/i.test(file)))
		throw new Error(`${name} ${version} is bundled, and has no license text in ${directory}`);
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
