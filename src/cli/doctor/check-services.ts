/** What `agent doctor` says of keys, services and the configuration file. */

import { AgentreeError } from "../../core/errors.ts";
import type { Io } from "../../faces/print/io.ts";
import type { ServiceList } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { keyVariables, serviceAddresses } from "../../models/providers.ts";
import { isLoopback, routeTo, throughProxy } from "../../models/service/proxy.ts";
import { configurationPath } from "../../project/config/user-directories.ts";
import { readConfiguration } from "../io/named-files.ts";
import type { KeyFiles } from "../start/credentials.ts";
import { askServices } from "./ask-services.ts";

export interface Check {
	readonly result: "ok" | "warn" | "fail";
	readonly what: string;
	readonly detail: string;
}

/** `hosts`: the services of the configuration file. */
export function checkKey(env: Io["env"], hosts: readonly UserHost[] = []): Check {
	const variables = keyVariables(hosts);
	const set = variables.filter((name) => env[name]);
	if (set.length > 0)
		return { result: "ok", what: "key", detail: `${set.join(", ")} ${set.length === 1 ? "is" : "are"} set` };
	const detail = `none: export ${variables[0]}=…, or use --model shell, or agent demo`;
	return { result: "warn", what: "key", detail };
}

/** Which way calls would take; none is made. */
export function checkServices(env: Io["env"], hosts: readonly UserHost[] = []): Check[] {
	return serviceAddresses(env, hosts).map((address) => checkWay(address, env));
}

/** Those of the configuration file; none while something is wrong with it, which is said elsewhere. */
export async function userHosts({ env, cwd }: Io): Promise<readonly UserHost[]> {
	try {
		return (await readConfiguration(env, () => cwd)).hosts;
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return [];
	}
}

function checkWay(address: string, env: Io["env"]): Check {
	const what = "service";
	if (!URL.canParse(address)) return { result: "fail", what, detail: `"${address}" is not an address` };
	try {
		const route = routeTo(address, env);
		const { origin, pathname } = new URL(address);
		const to = `${origin}${pathname.replace(/\/$/, "")}`;
		const { NODE_EXTRA_CA_CERTS: certificates } = env;
		const trusting = certificates ? `, also trusting ${certificates} (NODE_EXTRA_CA_CERTS)` : "";
		if (route.is === "direct") {
			const because = route.exceptedBy === undefined ? "" : ` (${route.exceptedBy})`;
			return { result: "ok", what, detail: `${to}, without a proxy${because}${trusting}` };
		}
		const detail = `${to}${throughProxy(route.proxy)}${trusting}`;
		if (!isLoopback(address) || isLoopback(route.proxy.url)) return { result: "ok", what, detail };
		const advice = `the proxy would look for it on the proxy's machine: add ${new URL(address).hostname} to NO_PROXY`;
		return { result: "warn", what, detail: `${detail}: ${advice}` };
	} catch (error) {
		return { result: "fail", what, detail: messageOf(error) };
	}
}

export async function checkConfiguration({ env, cwd }: Io): Promise<Check> {
	const what = "configuration";
	try {
		const { path, prices, hosts } = await readConfiguration(env, () => cwd);
		const place = configurationPath(env, () => cwd)?.path ?? "HOME";
		if (path === undefined) return { result: "ok", what, detail: `none: ${place} does not exist` };
		const models = prices.map(({ id }) => id).join(", ");
		const services = hosts.length === 0 ? "" : `; services: ${hosts.map(({ name }) => name).join(", ")}`;
		return { result: "ok", what, detail: `${path}, prices of ${models === "" ? "no model" : models}${services}` };
	} catch (error) {
		return { result: "fail", what, detail: messageOf(error) };
	}
}

/** One call to each service that there is a key for, or that is described. */
export async function checkOnline(io: Io, files: KeyFiles): Promise<Check[]> {
	const what = "online";
	try {
		const { lists } = await askServices(io, files);
		if (lists.length > 0) return lists.map(checkAnswer);
		return [{ result: "warn", what, detail: "no service called: no key, and no service configured" }];
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return [{ result: "fail", what, detail: error.message }];
	}
}

function checkAnswer({ service, address, answer }: ServiceList): Check {
	const what = "online";
	const who = `${service} (${address})`;
	if (answer.is === "models") return { result: "ok", what, detail: `${who}: ${answer.models.length} models` };
	return { result: answer.isThere ? "warn" : "fail", what, detail: `${who}: ${answer.reason}` };
}

/** What a check says of what was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
