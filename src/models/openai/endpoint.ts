/** Where a service is asked, and with what: the same in calls and in lists of models. */
import { defined } from "../../core/defined.ts";
import type { Asked } from "../service/call-failure.ts";
import type { Proxied } from "../service/proxied-way.ts";
import type { Host } from "./host.ts";
import type { Key } from "./key-ring.ts";

/** The key, where it is sent, and the headers that the configuration file gives the service. */
export function headersOf({ headers, hasKeyInHeader }: Host, key: Key | undefined): Record<string, string> {
	return { ...(key !== undefined && !hasKeyInHeader && { authorization: `Bearer ${key.value}` }), ...headers };
}

/** `key`: undefined when none is sent. `proxied`: the proxy that it goes through. */
export function endpointOf(
	host: Host,
	key: Key | undefined,
	{ proxied, now }: { proxied?: Proxied | undefined; now: number },
): Asked {
	const { origin, pathname } = new URL(host.baseUrl);
	return {
		address: origin,
		base: `${origin}${pathname}`,
		variable: key?.from ?? `the key_env of providers.${host.name}, since no key was sent`,
		addressFrom: host.addressFrom,
		now,
		...defined({ proxy: proxied }),
	};
}
