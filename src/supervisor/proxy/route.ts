/**
 * Whether an agent may reach a host, and at which addresses. A name is looked up only when it is allowed, and the connection is made
 * to an address that was checked: what the name leads to a moment later does not matter.
 */

import { lookup } from "node:dns/promises";
import { BlockList, isIPv4 } from "node:net";
import pLimit, { type LimitFunction } from "p-limit";
import {
	addressOfHost,
	type HostAndPort,
	type HostPattern,
	hostOfAddress,
	matchesHost,
	notAllowed,
	notPublic,
	readHostPattern,
} from "../../core/machine/host-pattern.ts";
import type { AgentId } from "../../core/model/agent.ts";

export type Route =
	| { readonly is: "open"; readonly addresses: readonly string[] }
	/** `reason`: for the agent and the event log, in one line. */
	| { readonly is: "refused"; readonly reason: string }
	/** The name leads nowhere. */
	| { readonly is: "unknown"; readonly reason: string };

export interface RouteDeps {
	/** The addresses of a name; rejects when it has none. */
	readonly lookUp: (name: string) => Promise<readonly string[]>;
	/** Those of this machine. */
	readonly ownAddresses: () => readonly string[];
}

const LOOPBACK = ["127.0.0.1", "::1"];
const MAX_ADDRESSES = 8;

/** `allowed`: patterns, as `--allow-host` takes them. */
export async function routeTo(to: HostAndPort, allowed: readonly string[], deps: RouteDeps): Promise<Route> {
	const patterns = allowed.flatMap((text) => readHostPattern(text) ?? []);
	const isAllowed = (host: string) => patterns.some((pattern) => matchesHost(pattern, { host, port: to.port }));
	if (!isAllowed(to.host)) return { is: "refused", reason: notAllowed(to) };
	const own = addressOfHost(to.host);
	if (own !== undefined) return { is: "open", addresses: [own] }; // no wildcard means an address: it was named
	if (isLocalhost(to.host)) return localRoute(to, patterns);
	const found = await deps.lookUp(to.host).catch((error: NodeJS.ErrnoException) => error);
	if (found instanceof Error)
		return { is: "unknown", reason: `${to.host} could not be looked up (${found.code ?? found.message})` };
	const hosts = found.flatMap((address) => hostOfAddress(address) ?? []);
	const ours = new Set(deps.ownAddresses().flatMap((address) => hostOfAddress(address) ?? []));
	const addresses = hosts
		.filter((host) => isAllowed(host) || (isPublicAddress(addressOfHost(host) ?? "") && !ours.has(host)))
		.flatMap((host) => addressOfHost(host) ?? []);
	const [first] = hosts;
	if (first === undefined) return { is: "unknown", reason: `${to.host} has no address` };
	if (addresses.length === 0) return { is: "refused", reason: notPublic(to, first) };
	return { is: "open", addresses: addresses.slice(0, MAX_ADDRESSES) };
}

/** RFC 6761: these names are never looked up. They are this machine, so only a pattern that says so allows them. */
function isLocalhost(host: string): boolean {
	return host === "localhost" || host.endsWith(".localhost");
}

function localRoute(to: HostAndPort, patterns: readonly HostPattern[]): Route {
	const isNamed = patterns.some((pattern) => !pattern.isWildcard && matchesHost(pattern, to));
	return isNamed ? { is: "open", addresses: LOOPBACK } : { is: "refused", reason: notPublic(to, "127.0.0.1") };
}

/** What kind of network an address leads to: the registries of special addresses at IANA, RFC 6890 and those after it. */

/** Never the Internet: this machine, its links, private networks, documentation, groups of hosts, the future. */
const SPECIAL_V4 = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10", // shared by customers of a provider; a cloud has its metadata there
	"127.0.0.0/8",
	"168.63.129.16/32", // a cloud's own services for its machines
	"169.254.0.0/16", // the link; clouds have their metadata there
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/3",
];
/** Within 2000::/3, which is all that is assigned: protocols, tunnels that end at an IPv4 address, documentation. */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
const GLOBAL_V6 = ["2000::/3"];

const special = listOf([...SPECIAL_V4, ...SPECIAL_V6]);
const given = listOf(GLOBAL_V6);

/** True for an address of the Internet; `address` as `addressOfHost` gives it. An IPv4 address inside of an IPv6 one counts as IPv6. */
export function isPublicAddress(address: string): boolean {
	if (isIPv4(address)) return !special.check(address, "ipv4");
	return given.check(address, "ipv6") && !special.check(address, "ipv6");
}

function listOf(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const network of networks) {
		const [address = "", bits] = network.split("/");
		list.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
	}
	return list;
}

const LOOKUPS_AT_ONCE = 2;
const MAX_WAITING = 128; // names of one agent: as many as it can have connections

/** The agent that wants to know an address. */
export interface Asker {
	readonly agent: AgentId;
	/** It does not want to know any more. */
	readonly signal: AbortSignal;
}

/**
 * Names to addresses, as the machine has it (getaddrinfo: /etc/hosts, too). Each lookup takes one of the four threads that the run's files are
 * written with, for as long as a name server is silent: so two are under way at once, and one of each agent, so that no agent with many names
 * holds up the others.
 */
export class Lookups {
	private readonly look: (name: string) => Promise<readonly string[]>;
	private readonly ofAll = pLimit(LOOKUPS_AT_ONCE);
	private readonly ofAgents = new Map<AgentId, LimitFunction>();

	constructor(look = addressesOf) {
		this.look = look;
	}

	async of(name: string, { agent, signal }: Asker): Promise<readonly string[]> {
		const ofAgent = this.ofAgents.get(agent) ?? pLimit(1);
		this.ofAgents.set(agent, ofAgent);
		if (ofAgent.pendingCount >= MAX_WAITING) throw new Error("too many name lookups are pending");
		const look = () => {
			signal.throwIfAborted();
			return this.look(name);
		};
		return ofAgent(() => this.ofAll(look));
	}
}

async function addressesOf(name: string): Promise<readonly string[]> {
	return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}
