/** The models that take over when one is overloaded or gone: each can be opened, and has a price where a budget needs one. */

import { AgentreeError } from "../../core/errors.ts";
import type { Credentials, ModelHost } from "../../models/provider/provider.ts";
import { openModel, resolveModel, withFetchedKeys } from "../../models/providers.ts";
import type { StartRequest } from "./start-request.ts";

export interface OpenedFallbacks {
	readonly models: readonly string[];
	/** With the keys that were fetched for them. */
	readonly credentials: Credentials;
}

/** `check`: throws AgentreeError for a model that a budget cannot bind. Throws AgentreeError for one that cannot be opened. */
export async function openFallbacks(
	{ fallbackModel, startedIn }: Pick<StartRequest, "fallbackModel" | "startedIn">,
	{ isAnyTaken, ...host }: Omit<ModelHost, "nameFrom"> & { readonly isAnyTaken: boolean },
	check: (model: string, nameFrom: string) => void,
): Promise<OpenedFallbacks> {
	const nameFrom = "--fallback-model";
	const names = fallbackModel?.split(",").map((name) => name.trim()) ?? [];
	if (names.includes("")) throw new AgentreeError("usage", `${nameFrom} needs names with commas between: A,B`);
	let { credentials } = host;
	const models: string[] = [];
	for (const name of names) {
		const model = resolveModel(name, startedIn, { from: nameFrom, isAnyTaken, hosts: host.hosts });
		check(model, nameFrom);
		credentials = await withFetchedKeys(model, { ...host, credentials });
		(await openModel(model, { ...host, credentials, nameFrom })).close();
		models.push(model);
	}
	return { models, credentials };
}
