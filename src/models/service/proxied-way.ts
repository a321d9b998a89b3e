/** The way of a service's calls, with what it takes to go it. */
import { type HttpProxy, type Route, routeTo } from "../provider/proxy.ts";
import type { proxiedFetch } from "./proxied-fetch.ts";

/** The way through a proxy. */
export type Proxied = HttpProxy & { readonly fetch: ReturnType<typeof proxiedFetch> };

/** Nothing for an address that is reached without a proxy, and for what is no address, which is refused elsewhere. */
export async function proxiedWay(
	address: string,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<{ proxied?: Proxied }> {
	const route: Route = URL.canParse(address) ? routeTo(address, environment) : { is: "direct" };
	if (route.is === "direct") return {};
	const { proxiedFetch } = await import("./proxied-fetch.ts");
	return { proxied: { ...route.proxy, fetch: proxiedFetch(route.proxy, address) } };
}
