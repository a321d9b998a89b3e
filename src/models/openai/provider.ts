/**
 * The provider of models of all services with the protocol of OpenAI: those of the table (`openai/gpt-5`, `ollama/qwen3`), and those
 * that the configuration file describes. What stands before the slash is the service, what stands behind it is its own name.
 */
import { AgentreeError, usageError } from "../../core/errors.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { Credentials, Provider } from "../provider/provider.ts";
import type { UserHost } from "../provider/user-host.ts";
import { checkAddress, checkKey, shownAddress } from "../service/check-credentials.ts";
import { proxiedWay } from "../service/proxy.ts";
import { checkHeaders, type Host, hostNames, hostOf, serviceName } from "./host.ts";
import { type Key, keyOfCommand } from "./keys.ts";
import { factsOfHosted, KNOWN_HOSTS, KNOWN_NAMES } from "./known-hosts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

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
	keyVariableOf: (service, hosts) => hostOf(`${service}/`, hosts)?.keyVariables[0],
	owns: (name, hosts = []) => hostOf(name, hosts) !== undefined,
	addresses: (credentials, hosts) => usedHosts(credentials, hosts).map(({ baseUrl }) => shownAddress(baseUrl)),
	hasKey: (name, { credentials, hosts = [] }) => {
		const host = hostOf(name, hosts, credentials);
		if (host === undefined) return false;
		return !host.needsKey || host.keyCommand !== undefined || keysOf(host, credentials).length > 0;
	},
	fetchKeys: async (name, { credentials, hosts = [], environment = {} }) => {
		const host = hostOf(name, hosts, credentials);
		if (host === undefined || keysOf(host, credentials).length > 0) return {};
		return Object.fromEntries((await keysFor(host, credentials, environment)).map(({ from, value }) => [from, value]));
	},
	list: async (host) => {
		const { credentials, hosts = [], environment = {} } = host;
		const { listHosted } = await import("./list-hosted.ts");
		const used = usedHosts(credentials, hosts);
		const lists = await listHosted(allHosts(credentials, hosts), (one) => keysFor(one, credentials, environment), host);
		// What may run on this machine and was never named is told only when it does.
		return lists.filter(({ service, answer }) => answer.is === "models" || used.some(({ name }) => name === service));
	},
	facts: factsOfHosted,
	resolve: (name, _startedIn) => {
		if (serviceName(name).trim() !== "") return name;
		throw usageError(`no model in the name ${name}: add one, as in ${KNOWN_NAMES[0]}`);
	},
	check: () => {},
	open: async (name, { credentials, hosts = [], environment = {}, ...opened }) => {
		const host = hostOf(name, hosts, credentials);
		if (host === undefined) throw usageError(`unknown service in the model name ${name}`);
		const way = await proxiedWay(host.baseUrl, environment);
		checkAddress(host.baseUrl, host.addressFrom);
		checkHeaders(host);
		const keys = await keysFor(host, credentials, environment);
		if (keys.length === 0 && host.needsKey) throw keyMissing(name, host);
		for (const { value, from } of keys) checkKey(value, from);
		const { openHosted } = await import("./hosted-model.ts");
		const fetchKey = keys.some(({ from }) => from === commandPlace(host)) && fetcherOf(host, environment);
		return openHosted(name, {
			...opened,
			...(fetchKey && { fetchKey }),
			host,
			keys,
			...way,
		});
	},
};

/** The keys that are set, else the one that a command prints. Throws AgentreeError("key_missing") when that prints none. */
async function keysFor(host: Host, credentials: Credentials, environment: Environment): Promise<Key[]> {
	const keys = keysOf(host, credentials);
	const fetchKey = fetcherOf(host, environment);
	if (keys.length > 0 || fetchKey === undefined) return keys;
	return [{ value: await fetchKey(), from: commandPlace(host) }];
}

function fetcherOf(host: Host, environment: Environment): (() => Promise<string>) | undefined {
	const { keyCommand } = host;
	return keyCommand === undefined ? undefined : () => keyOfCommand(keyCommand, commandPlace(host), environment);
}

/** The name under which credentials have the key that the command has printed. */
function commandPlace({ name }: Host): string {
	return `providers.${name}.key_command`;
}

function keysOf(host: Host, credentials: Credentials): Key[] {
	const keys = [...host.keyVariables, commandPlace(host)].flatMap((from) => {
		const value = credentials[from];
		return value ? [{ value, from }] : [];
	});
	return keys.filter(({ value }, at) => keys.findIndex((key) => key.value === value) === at);
}

function keyMissing(name: string, { name: hostName, keyVariables }: Host): AgentreeError {
	const [variable = `key_env under providers.${hostName} in the configuration file`] = keyVariables;
	return new AgentreeError(
		"key_missing",
		`no key for the model ${name}: set ${variable}, or pass a file with --env-file`,
	);
}

/** Those, and what may run on a machine of their own. */
function allHosts(credentials: Credentials, userHosts: readonly UserHost[]): Host[] {
	const used = usedHosts(credentials, userHosts);
	const own = KNOWN_HOSTS.filter(({ name, isOwn }) => isOwn && !used.some((host) => host.name === name));
	return [...used, ...own.flatMap(({ name }) => hostOf(`${name}/`, userHosts, credentials) ?? [])];
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
