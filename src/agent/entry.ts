/**
 * The entry point of every process of the program. It loads the bundles with what V8 compiled of them in an earlier process,
 * from `.cache` files beside them: that saves a child agent 2 ms, and `agent run` a fifth of its CPU. Each version of V8
 * has its own. The process that finds none writes it at its end.
 */
import { existsSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { cgroupMembershipOf } from "../processes/cgroups/cgroup.ts";
import { warmUpMove } from "../processes/cgroups/run-cgroup.ts";

const OPENING = "(function (exports, require, module, __filename, __dirname) { ";

type Bundle = (
	exports: object,
	require: (id: string) => unknown,
	module: { exports: object },
	file: string,
	directory: string,
) => void;

const bundles = new Map<string, { exports: object }>();
/** By the files in which their caches belong. */
const uncached = new Map<string, Script>();
process.once("exit", writeCaches);

// A child's first command waits for the end of its move. It begins once the file is read: it keeps one open, which may be the last.
const group = process.argv[2] === "--as-root" ? undefined : cgroupMembershipOf("self");
let earlyMove = Promise.resolve();
const begin = () => {
	earlyMove = warmUpMove(group);
};

const { main } = loadBundle("joining-agent", begin) as typeof import("./main.ts");

main({
	group,
	earlyMove,
	loadJoinedAgent: async () => loadBundle("joined-agent") as typeof import("./joined-agent.ts"),
	loadNamespaces: async () => loadBundle("namespaces") as typeof import("./network/namespaces.ts"),
	loadExplainRefusal: async () => loadBundle("explain-refusal") as typeof import("./bash/explain-refusal.ts"),
	loadRestore: async () => loadBundle("restore") as typeof import("./context/restore.ts"),
	loadAsk: async () => loadBundle("ask") as typeof import("./commands/ask.ts"),
	loadTodo: async () => loadBundle("todo") as typeof import("./commands/todo.ts"),
	readVersion: () => JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8")).version,
	loadCommandLine: async () => loadBundle("cli/main"),
});

/** As `require` does it; import() would start the loader of ES modules. The files of the command line require each other by `./`. */
function loadBundle(name: string, onRead = () => {}): object {
	const loaded = bundles.get(name);
	if (loaded !== undefined) return loaded.exports;
	const file = join(__dirname, `${name}.js`);
	const code = readFileSync(file, "latin1"); // the bundles are in ASCII
	const cacheFile = join(__dirname, `${name}.${process.versions.v8}.cache`);
	const cachedData = readIfThere(cacheFile);
	onRead();
	const options = { filename: file, columnOffset: -OPENING.length, ...(cachedData && { cachedData }) };
	const script = new Script(`${OPENING}${code}\n})`, options);
	if (cachedData === undefined) uncached.set(cacheFile, script);
	const module = { exports: {} };
	bundles.set(name, module);
	const bundle = script.runInThisContext() as Bundle;
	const requireFrom = (id: string) =>
		id.startsWith("./") ? loadBundle(join(dirname(name), basename(id, ".js"))) : require(id);
	bundle(module.exports, requireFrom, module, file, dirname(file));
	return module.exports;
}

function readIfThere(file: string): Buffer | undefined {
	try {
		return readFileSync(file);
	} catch {
		return undefined;
	}
}

/** Writes what V8 has compiled by now, for the next process. Where the program may not be written to, there is no cache. */
function writeCaches(): void {
	for (const [file, script] of uncached) {
		if (existsSync(file)) continue; // of a process that used what its kind uses, and ended first
		const unfinished = `${file}.${process.pid}`;
		try {
			const fd = openSync(unfinished, "wx"); // before the data is made, which takes 20 ms for the command line
			writeFileSync(fd, script.createCachedData());
			renameSync(unfinished, file);
		} catch {
			tryToRemove(unfinished);
		}
	}
}

function tryToRemove(file: string): void {
	try {
		unlinkSync(file);
	} catch {} // it was not made
}
