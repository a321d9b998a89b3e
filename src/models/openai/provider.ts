/**
 * The provider of models of all services with the protocol of OpenAI: those of the table (`openai/gpt-5`, `ollama/qwen3`), and those
 * that the configuration file describes. What stands before the slash is the service, what stands behind it is its own name.
 */
import { AgentreeError } from "../../core/errors.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { Credentials, Provider } from "../provider/provider.ts";
import type { UserHost } from "../provider/user-host.ts";
import { checkAddress, checkKey } from "../service/check-credentials.ts";
import { proxiedWay } from "../service/proxied-way.ts";
import { type Host, hostNames, hostOf, serviceName } from "./host.ts";
import { keyOfCommand } from "./key-command.ts";
import type { Key } from "./key-ring.ts";
import { KNOWN_HOSTS } from "./known-hosts.ts";
import { factsOfHosted, KNOWN_NAMES } from "./model-table.ts";

/** Variables that the SDK would read. They are taken away from it, and from agents. */
const OTHERS = [
	"OPENAI_ADMIN_KEY",
	"OPENAI_ORG_ID",
	"OPENAI_PROJECT_ID",
	"OPENAI_WEBHOOK_SECRET",
	"OPENAI_CUSTOM_HEADERS",
];

export const OPENAI: Provider = {
	names: KNOWN_HOSTS.map(({ name }) => `${name}/MODEL`),
	meantBy: (name) => [...KNOWN_NAMES, ...ofNearestHost(name)],
	variables: {
		keys: KNOWN_HOSTS.flatMap(({ keyVariables }) => keyVariables),
		addresses: KNOWN_HOSTS.flatMap(({ addressVariables }) => addressVariables),
		others: OTHERS,
	},
	owns: (name, hosts = []) => hostOf(name, hosts) !== undefined,
	addresses: (credentials, hosts) => usedHosts(credentials, hosts).map(({ baseUrl }) => baseUrl),
	hasKey: (name, { credentials, hosts = [] }) => {
		const host = hostOf(name, hosts, credentials);
		if (host === undefined) return false;
		return !host.needsKey || host.keyCommand !== undefined || keysOf(host, credentials).length > 0;
	},
	fetchKeys: async (name, { credentials, hosts = [], environment = {} }) => {
		const host = hostOf(name, hosts, credentials);
		if (host?.keyCommand === undefined || keysOf(host, credentials).length > 0) return {};
		return { [commandPlace(host)]: await keyOfCommand(host.keyCommand, commandPlace(host), environment) };
	},
	facts: factsOfHosted,
	resolve: (name, _startedIn) => {
		if (serviceName(name).trim() !== "") return name;
		throw new AgentreeError("usage", `no model in the name ${name}: name one of that service, as in ${KNOWN_NAMES[0]}`);
	},
	check: () => {},
	open: async (name, { credentials, hosts = [], environment = {}, ...opened }) => {
		const host = hostOf(name, hosts, credentials);
		if (host === undefined) throw new AgentreeError("usage", `no service is known for the model ${name}`);
		checkAddress(host.baseUrl, host.addressFrom);
		const known = keysOf(host, credentials);
		const { keyCommand } = host;
		const fetchKey =
			keyCommand === undefined ? undefined : () => keyOfCommand(keyCommand, commandPlace(host), environment);
		const fetched = known.length === 0 && fetchKey ? [{ value: await fetchKey(), from: commandPlace(host) }] : [];
		const keys = [...known, ...fetched];
		if (keys.length === 0 && host.needsKey) throw keyMissing(name, host);
		for (const { value, from } of keys) checkKey(value, from);
		const { openHosted } = await import("./hosted-model.ts");
		const refetch = fetchKey && keys.some(({ from }) => from === commandPlace(host)) ? { fetchKey } : {};
		return openHosted(name, { ...opened, ...refetch, host, keys, ...(await proxiedWay(host.baseUrl, environment)) });
	},
};

/** The name under which credentials have the key that the command has printed. */
function commandPlace({ name }: Host): string {
	return `providers.${name}.key_command`;
}

function keysOf(host: Host, credentials: Credentials): Key[] {
	return [...host.keyVariables, commandPlace(host)].flatMap((from) => {
		const value = credentials[from];
		return value ? [{ value, from }] : [];
	});
}

function keyMissing(name: string, { name: hostName, keyVariables }: Host): AgentreeError {
	const [variable = `key_env under providers.${hostName} in the configuration file`] = keyVariables;
	return new AgentreeError(
		"key_missing",
		`no key for the model ${name}: set ${variable}, or name a file that has it with --env-file`,
	);
}

/** The services that a person seems to use: that there is a key for, or that are described or addressed. */
function usedHosts(credentials: Credentials, userHosts: readonly UserHost[]): Host[] {
	const hosts = hostNames(userHosts).flatMap((name) => hostOf(`${name}/`, userHosts, credentials) ?? []);
	const isUsed = (host: Host) =>
		keysOf(host, credentials).length > 0 ||
		credentials[host.addressFrom] !== undefined ||
		userHosts.some(({ name }) => name === host.name);
	return hosts.filter(isUsed);
}

function ofNearestHost(name: string): string[] {
	if (!name.includes("/")) return [];
	const nearest = nearestName(name.slice(0, name.indexOf("/")), hostNames([]));
	return nearest === undefined ? [] : [`${nearest}/${serviceName(name)}`];
}
