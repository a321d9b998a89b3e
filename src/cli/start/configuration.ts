/** The user's configuration file, which is read when a run starts. Child agents get what follows from it. */
import { existsSync } from "node:fs";
import type { UserConfiguration } from "../../models/user-configuration.ts";
import { configurationPath } from "../../project/config/configuration-path.ts";
import { readNamedFile } from "./read-named-file.ts";

export interface Configuration extends UserConfiguration {
	/** Undefined when the user has no configuration file. */
	readonly path: string | undefined;
}

const NONE: Configuration = { path: undefined, prices: [], hosts: [], notify: { is: "bell" } };
const BOUNDS = { maxBytes: 1024 * 1024, isRegular: true };

/** Throws AgentreeError: "usage" for a file that is named and missing, or that cannot be read; "script" for what is wrong in it. */
export async function readConfiguration(
	env: Readonly<Record<string, string | undefined>>,
	cwd: () => string,
): Promise<Configuration> {
	const place = configurationPath(env, cwd);
	if (place === undefined || (!place.isNamed && !existsSync(place.path))) return NONE;
	const name = place.isNamed ? `AGENTREE_CONFIG ${place.path}` : `the configuration file ${place.path}`;
	const text = readNamedFile(place.path, name, BOUNDS);
	const { parseUserConfiguration } = await import("../../models/user-configuration.ts");
	return { path: place.path, ...parseUserConfiguration(text, place.path) };
}
