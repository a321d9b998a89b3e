/**
 * The user's configuration file: `prices` and `providers` of models, and `notify`, a command that tells a person who looks elsewhere
 * that a conversation waits for them.
 */
import type { PricedModel } from "./catalogue.ts";
import type { UserHost } from "./provider/user-host.ts";
import { type Located, parseLocated } from "./user-files/located-yaml.ts";
import { parseUserHosts } from "./user-hosts.ts";
import { pricedModels } from "./user-prices.ts";

export interface UserConfiguration {
	readonly prices: readonly PricedModel[];
	readonly hosts: readonly UserHost[];
	readonly notify: Notify;
}

/** `command`: for a shell. */
export type Notify = { readonly is: "bell" | "off" } | { readonly is: "command"; readonly command: string };

/** Throws AgentreeError("script") with file, line and column of the first error. */
export function parseUserConfiguration(text: string, file: string): UserConfiguration {
	const whole = parseLocated(text, file);
	if (whole.data() === null) return { prices: [], hosts: [], notify: { is: "bell" } }; // nothing in it but comments
	const { prices, providers, notify } = whole.map(["prices", "providers", "notify"]);
	const hosted = parseUserHosts(providers);
	return { prices: [...pricedModels(prices), ...hosted.prices], hosts: hosted.hosts, notify: parseNotify(notify) };
}

function parseNotify(written: Located | undefined): Notify {
	const command = written?.string().trim();
	if (command === undefined || command === "bell") return { is: "bell" };
	if (command === "") return written?.fail("a command, bell or off is expected here") ?? { is: "bell" };
	return command === "off" || command === "false" ? { is: "off" } : { is: "command", command };
}
