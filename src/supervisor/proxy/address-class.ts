/** What kind of network an address leads to: the registries of special addresses at IANA, RFC 6890 and those after it. */
import { BlockList, isIPv4 } from "node:net";

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
/** Of what is given out at all, 2000::/3: protocols, tunnels that end at an IPv4 address, documentation. */
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
