/**
 * The entry point of every process of the program. It loads the bundles of a child agent with what V8 had compiled of them
 * when they were built, beside them in `.cache` files: that is 2 ms less at each start. V8 refuses the cache of another
 * version; then, or without one, it compiles.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

const OPENING = "(function (exports, require, module, __filename, __dirname) { ";

type Bundle = (
	exports: object,
	require: NodeJS.Require,
	module: { exports: object },
	file: string,
	directory: string,
) => void;

const { main } = loadBundle("joining-agent") as typeof import("./main.ts");

main({
	loadJoinedAgent: async () => loadBundle("joined-agent") as typeof import("./joined-agent.ts"),
	loadNamespaces: async () => loadBundle("namespaces") as typeof import("./network/namespaces.ts"),
	loadOutsideSandbox: async () => loadBundle("outside-sandbox") as typeof import("./bash/outside-sandbox.ts"),
	loadRestore: async () => loadBundle("restore") as typeof import("./context/restore.ts"),
	loadAsk: async () => loadBundle("ask") as typeof import("./ask.ts"),
	loadTodo: async () => loadBundle("todo") as typeof import("./todo.ts"),
	loadCommandLine: () => import(pathToFileURL(join(__dirname, "cli", "main.mjs")).href),
});

/** As `require` does it; import() would start the loader of ES modules. */
function loadBundle(name: string): object {
	const file = join(__dirname, `${name}.js`);
	const code = readFileSync(file, "latin1"); // the bundles are in ASCII
	const options = { filename: file, columnOffset: -OPENING.length, ...cacheOf(name) };
	const bundle = new Script(`${OPENING}${code}\n})`, options).runInThisContext() as Bundle;
	const module = { exports: {} };
	bundle(module.exports, require, module, file, __dirname);
	return module.exports;
}

function cacheOf(name: string): { cachedData?: Buffer } {
	try {
		return { cachedData: readFileSync(join(__dirname, `${name}.cache`)) };
	} catch {
		return {};
	}
}
