/** The provider of `script:FILE`: models whose answers are in a file. */
import { accessSync, constants } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { AgentreeError, usageError } from "../../core/errors.ts";
import { unknownModel, windowTokens } from "../provider/model-facts.ts";
import type { Provider } from "../provider/provider.ts";

const SCHEME = "script:";

export const SCRIPT: Provider = {
	names: [`${SCHEME}FILE`],
	variables: { keys: [], addresses: [], others: [] },
	owns: (name) => name.startsWith(SCHEME),
	facts: (name) => {
		const service = unknownModel(name);
		const contextTokens = windowTokens(service); // a script plays a service's model, so its window is one's
		return { ...service, shortName: shortName(name), contextTokens, price: { is: "free" }, isRemote: false };
	},
	resolve: (name, startedIn) => scriptModel(absolute(fileOf(name), startedIn)),
	file: fileOf,
	check: (name) => checkReadable(fileOf(name)),
	open: async (name) => {
		const { openScript } = await import("./script.ts");
		return openScript(name, fileOf(name));
	},
};

/** The name of the model that plays this file. */
export function scriptModel(file: string): string {
	return `${SCHEME}${file}`;
}

function fileOf(name: string): string {
	const file = name.slice(SCHEME.length);
	if (file === "") throw usageError(`no file in the model name ${SCHEME}FILE`);
	return file;
}

function absolute(file: string, startedIn: string | undefined): string {
	if (isAbsolute(file)) return file;
	if (startedIn === undefined)
		throw usageError(`cannot find the script ${file}: the working directory no longer exists; use an absolute path`);
	return resolve(startedIn, file);
}

function checkReadable(file: string): void {
	try {
		accessSync(file, constants.R_OK);
	} catch (error) {
		const why = (error as NodeJS.ErrnoException).code ?? String(error);
		throw new AgentreeError("script", `cannot read the script ${file}: ${why}`);
	}
}

/** A script by the name of its file: where it lies is in `agent show`. */
function shortName(name: string): string {
	return scriptModel(name.slice(Math.max(name.lastIndexOf("/") + 1, SCHEME.length)));
}
