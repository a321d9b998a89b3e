/** What the services say of their models that a person has keys for. Keys are read as for a run. */

import { resolve } from "node:path";
import type { Io } from "../../faces/print/io.ts";
import type { PricedModel } from "../../models/catalogue.ts";
import type { ServiceList } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { forgetCredentials, listServices } from "../../models/providers.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readConfiguration } from "../io/named-files.ts";
import { type KeyFiles, readCredentials } from "../start/credentials.ts";

const WITHIN_MS = 15_000;

/** `prices`: the user's own. Throws AgentreeError for a configuration or a file of keys that cannot be read. */
export async function askServices(
	{ env, cwd, now }: Pick<Io, "env" | "cwd" | "now">,
	files: KeyFiles,
): Promise<{ lists: ServiceList[]; prices: readonly PricedModel[]; hosts: readonly UserHost[] }> {
	const { hosts, prices } = await readConfiguration(env, () => cwd);
	const credentials = readCredentials(env, files, hosts);
	const environment = { ...env };
	forgetCredentials(environment, hosts);
	const lists = await listServices({ credentials, hosts, environment, now, withinMs: WITHIN_MS });
	return { lists, prices, hosts };
}

/** The files of keys that options of a command name. */

export function namedKeyFiles(values: OptionValues, { cwd }: Pick<Io, "cwd">): KeyFiles {
	const path = (flag: string) => (typeof values[flag] === "string" ? resolve(cwd, values[flag]) : undefined);
	return { envFile: path("env-file"), credentialsFile: path("credentials-file") };
}
