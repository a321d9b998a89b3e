/** What of models stands in the user's configuration file. */
import type { PricedModel } from "./catalogue.ts";
import type { UserHost } from "./provider/user-host.ts";
import { parseLocated } from "./user-files/located-yaml.ts";
import { parseUserHosts } from "./user-hosts.ts";
import { pricedModels } from "./user-prices.ts";

export interface UserConfiguration {
	readonly prices: readonly PricedModel[];
	readonly hosts: readonly UserHost[];
}

/** Throws AgentreeError("script") with file, line and column of the first error. */
export function parseUserConfiguration(text: string, file: string): UserConfiguration {
	const whole = parseLocated(text, file);
	if (whole.data() === null) return { prices: [], hosts: [] }; // nothing in it but comments
	const { prices, providers } = whole.map(["prices", "providers"]);
	const hosted = parseUserHosts(providers);
	return { prices: [...pricedModels(prices), ...hosted.prices], hosts: hosted.hosts };
}
